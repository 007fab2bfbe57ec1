// The skills of a thread: the folders of `/skills` in its files.

import { ThreadholdError } from "#contract/error.ts";
import type { ThreadFiles } from "#core/ports/thread-file-port.ts";
import type { Log } from "#lib/log-port.ts";
import { skillFrontmatter } from "#lib/untrusted/skill-frontmatter.ts";

import { mainFile, SkillError } from "./skill.ts";
import type { Skill } from "./skill.ts";

const root = "/skills";

/** The maximum number of skills of a thread, and of listed files of a skill. */
const mostSkills = 100;
const mostPaths = 200;

/** The maximum number of bytes of a file that is returned. */
const mostBytes = 256 * 1024;

/** Reads the skills of a thread. A `SKILL.md` is read once for each of its versions. */
export class ThreadSkills {
  readonly #files: ThreadFiles;
  readonly #log: Log;
  /** The skills that were read, by folder and ETag of `SKILL.md`; null for a skill that cannot be used. */
  readonly #read = new Map<string, Skill | null>();

  constructor(files: ThreadFiles, log: Log) {
    this.#files = files;
    this.#log = log;
  }

  /** Returns all skills that can be used. Logs the others, once for each version of `SKILL.md`. */
  async all(): Promise<Skill[]> {
    const skills: Skill[] = [];
    for (const folder of (await this.#folders()).slice(0, mostSkills)) {
      const existing = await this.#files.entry(`${root}/${folder}/${mainFile}`);
      if (existing === null || existing.etag === null) continue;
      const version = `${folder} ${existing.etag}`;
      const known = this.#read.get(version);
      const skill = known === undefined ? await this.#skill(folder) : known;
      this.#read.set(version, skill);
      if (skill !== null) skills.push(skill);
    }
    return skills;
  }

  async #folders(): Promise<string[]> {
    try {
      const entries = await this.#files.list(root);
      return entries.filter(({ isDirectory }) => isDirectory).map(({ name }) => name);
    } catch (thrown) {
      // The thread has no folder with this path, or has a file there.
      if (thrown instanceof ThreadholdError && ["file_not_found", "conflict"].includes(thrown.code)) return [];
      throw thrown;
    }
  }

  async #skill(folder: string): Promise<Skill | null> {
    try {
      const text = await this.#text(`${root}/${folder}/${mainFile}`);
      const read = skillFrontmatter(text ?? "", folder);
      if (read.ok && read.warnings.length > 0) {
        this.#log("warning", "skill_warning", { folder: `${root}/${folder}`, problems: read.warnings });
      }
      if (read.ok) return { ...this.#fileAccess(folder), name: read.name, description: read.description };
      this.#leaveOut(folder, read.problem);
    } catch (thrown) {
      if (!(thrown instanceof SkillError)) throw thrown;
      this.#leaveOut(folder, thrown.message);
    }
    return null;
  }

  #leaveOut(folder: string, problem: string): void {
    this.#log("warning", "skill_left_out", { folder: `${root}/${folder}`, problem });
  }

  #fileAccess(folder: string): Pick<Skill, "paths" | "read"> {
    const start = `${root}/${folder}/`;
    return {
      paths: async () => {
        const { paths } = await this.#files.find("**", { path: start, limit: mostPaths });
        return paths.map((path) => path.slice(start.length)).toSorted();
      },
      read: (path) => this.#text(`${start}${path}`),
    };
  }

  /** The text of a file; null if there is none. */
  async #text(path: string): Promise<string | null> {
    const record = await this.#files.stat(path);
    if (record === null || record.isDirectory) return null;
    if (record.size > mostBytes) throw new SkillError(`${path} has ${record.size} bytes, more than ${mostBytes}.`);
    const bytes = await this.#files.read(path);
    if (bytes === null) return null;
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    } catch {
      throw new SkillError(`${path} is not a text file.`);
    }
  }
}
