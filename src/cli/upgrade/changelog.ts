// The sections of CHANGELOG.md between two versions of the package.

/** What a version changed. */
export interface ChangelogSection {
  version: string;
  /** The section with its heading. */
  text: string;
}

/** Whether a text is a version such as `1.2.3` or `1.2.3-beta.1`. */
export const isVersion = (text: string): boolean => /^\d+\.\d+\.\d+(?:-[\w.-]+)?$/.test(text);

/** The order of two versions: negative if the first is older. A version with a suffix comes before the version without it. */
export function compareVersions(one: string, other: string): number {
  const [core = "", suffix] = splitSuffix(one);
  const [otherCore = "", otherSuffix] = splitSuffix(other);
  const byCore = core.localeCompare(otherCore, "en", { numeric: true });
  if (byCore !== 0 || suffix === otherSuffix) return byCore;
  if (suffix === undefined) return 1;
  return otherSuffix === undefined ? -1 : suffix.localeCompare(otherSuffix, "en", { numeric: true });
}

function splitSuffix(version: string): string[] {
  const at = version.indexOf("-");
  return at === -1 ? [version] : [version.slice(0, at), version.slice(at + 1)];
}

/** The sections of versions after `from` up to `to`, in the order of the file. */
export function sectionsBetween(changelog: string, { from, to }: { from: string; to: string }): ChangelogSection[] {
  return changelog
    .split(/^(?=## )/m)
    .flatMap((text) => {
      const version = /^## \[?([^\]\s]+)/.exec(text)?.[1] ?? "";
      return isVersion(version) ? [{ version, text: text.trimEnd() }] : [];
    })
    .filter(({ version }) => compareVersions(version, from) > 0 && compareVersions(version, to) <= 0);
}
