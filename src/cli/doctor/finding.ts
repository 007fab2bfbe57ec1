// One result of `threadhold doctor`.

/** A property of the project that was checked. */
export interface Finding {
  /** What was checked, such as `wrangler` or `binding THREADS`. */
  name: string;
  /** `warning`: the Worker runs, but something is missing. */
  status: "ok" | "warning" | "error";
  detail: string;
  /** What to do, with the exact lines or the command; absent if nothing is to be done. */
  fix?: string;
}

/** Whether a version such as `4.86.0` is older than the given major and minor number. */
export function isOlder(version: string, [oldestMajor, oldestMinor]: readonly [number, number]): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}

export const ok = (name: string, detail: string): Finding => ({ name, status: "ok", detail });

export const warning = (name: string, detail: string, fix: string): Finding => ({
  name,
  status: "warning",
  detail,
  fix,
});

export const error = (name: string, detail: string, fix: string): Finding => ({ name, status: "error", detail, fix });

export const isError = ({ status }: Finding): boolean => status === "error";

const marks = { ok: "ok      ", warning: "warning ", error: "error   " };

/** The lines that show a finding. */
export function formatFinding({ name, status, detail, fix }: Finding): string {
  const line = `${marks[status]}${name}: ${detail}`;
  return fix === undefined ? line : `${line}\n        fix: ${fix.replaceAll("\n", "\n             ")}`;
}
