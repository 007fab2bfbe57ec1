// Limits the tags of a page, and the nesting of its elements. The time of the conversion to Markdown grows with the number of the tags and
// with the depth of each element, and a hostile page has a tag for every few characters.

/** The maximum number of tags. A page of 1 MiB usually has fewer than 25,000. */
const mostTags = 30_000;

/** The maximum number of open elements with one name, and of all open elements. */
const depthOfName = 32;
const depth = 256;

/** Elements without an end tag, and elements whose end tag is often absent. They do not count. */
const uncounted = new Set(
  (
    "area base br col embed hr img input link meta param source track wbr " +
    "body colgroup dd dt head html li optgroup option p tbody td tfoot th thead tr"
  ).split(" "),
);

// The name is matched as a whole. Without the lookahead, a name without an end would be tried in all its lengths.
const tagPattern = /<(\/?)([a-z][^\s/<>]*)(?![^\s/<>])[^<>]*>/gi;

/**
 * Removes the tags of elements that are nested too deeply, and the tags after the first ones. Their text remains.
 * @param allowedTags the number of first tags that may remain
 */
export function flatHtml(html: string, allowedTags = mostTags): string {
  const end = endOfTags(html, allowedTags);
  // One step for all further tags, because a call for each of them takes several times as long.
  return flatTags(html.slice(0, end)) + html.slice(end).replace(tagPattern, " ");
}

/** The position after the first `count` tags; the length of the text if it has no more. */
function endOfTags(html: string, count: number): number {
  const pattern = new RegExp(tagPattern);
  for (let tags = 0; tags < count; tags += 1) if (!pattern.test(html)) return html.length;
  return pattern.lastIndex;
}

function flatTags(html: string): string {
  const byName = new Map<string, { kept: number; removed: number }>();
  let open = 0;
  return html.replace(tagPattern, (tag: string, slash: string, given: string) => {
    const name = given.toLowerCase();
    if (uncounted.has(name) || tag.endsWith("/>")) return tag;
    const counts = byName.get(name) ?? { kept: 0, removed: 0 };
    byName.set(name, counts);
    if (slash === "") {
      if (counts.kept >= depthOfName || open >= depth) {
        counts.removed += 1;
        return "";
      }
      counts.kept += 1;
      open += 1;
      return tag;
    }
    if (counts.removed > 0) {
      counts.removed -= 1;
      return "";
    }
    if (counts.kept > 0) {
      counts.kept -= 1;
      open -= 1;
    }
    return tag;
  });
}
