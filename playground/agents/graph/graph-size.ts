// Chooses the size of the nodes and the space between them: the largest form at which the graph is as wide as the page at full size, so
// that its texts stay readable. A narrower form writes names in two lines and relations only at the focused node.

/** The form of the nodes, and the space between them in pixels. */
export interface GraphForm {
  width: number;
  height: number;
  /** The space between two ranks of nodes. */
  gap: number;
  /** Whether names may take two lines. */
  twoLines: boolean;
  /** Whether nodes show the mark of their kind. */
  marks: boolean;
  /** Whether all edges show their relations. */
  labels: boolean;
}

/** The width of a character of a name, in pixels: 0.6 of 12 pixels. */
const character = 7.2;

/** The space that a node needs at the sides of its name, with and without the mark of its kind. */
const sides = { marked: 52, plain: 28 } as const;

/** The longest names that are shown completely, in one line and in each of two lines. */
const most = { oneLine: 26, twoLines: 15 } as const;

/** The forms for these names, the largest first. */
function formsOf(names: readonly string[]): readonly [GraphForm, ...GraphForm[]] {
  const longest = Math.min(most.oneLine, Math.max(10, ...names.map((name) => name.length)));
  const folded = Math.min(most.twoLines, Math.max(8, ...names.map(foldedLength)));
  const oneLine = { width: Math.ceil(longest * character) + sides.marked, height: 46, twoLines: false, marks: true };
  const twoLines = { height: 50, twoLines: true, labels: false };
  const marked = Math.min(oneLine.width, Math.ceil(folded * character) + sides.marked);
  return [
    { ...oneLine, gap: 96, labels: true },
    { ...oneLine, gap: 36, labels: false },
    { ...twoLines, width: marked, gap: 28, marks: true },
    { ...twoLines, width: Math.ceil(folded * character) + sides.plain, gap: 20, marks: false },
  ];
}

/** The largest form in which the longest chain of nodes fits into the width; the smallest form if none does. */
export function formFor(names: readonly string[], ranks: number, width: number): GraphForm {
  const forms = formsOf(names);
  const fits = forms.find((form) => ranks * form.width + (ranks - 1) * form.gap <= width);
  return fits ?? forms.at(-1) ?? forms[0];
}

/** The characters of the longer line of a name that is written in two lines, which begin after a separator if possible. */
function foldedLength(name: string): number {
  const ends = [...name.matchAll(/[-_./ ]/g)].map(({ index }) => index + 1);
  const halves = [Math.ceil(name.length / 2) + 2, ...ends.map((end) => Math.max(end, name.length - end))];
  return Math.min(name.length, ...halves);
}
