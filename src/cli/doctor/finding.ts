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

export const ok = (name: string, detail: string): Finding => ({ name, status: "ok", detail });

export const warning = (name: string, detail: string, fix: string): Finding => ({
  name,
  status: "warning",
  detail,
  fix,
});

export const error = (name: string, detail: string, fix: string): Finding => ({ name, status: "error", detail, fix });
