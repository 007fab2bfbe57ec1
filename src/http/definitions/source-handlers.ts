// The routes of definitions that have many tools, such as MCP servers, and of skills. Only the route of one source sends requests.

import type { SourceView } from "#contract/definition.ts";
import type { Registry, ToolSourceDefinition, ToolSourceEntry } from "#spec/registry.ts";

import { jsonAnswer } from "../answer/json-answer.ts";
import type { Handlers } from "../route/handler.ts";
import type { Services } from "../services.ts";
import { unknownDefinition } from "./unknown-definition.ts";

export function sourceHandlers({
  dependencies: { registry, sourceState },
  limits,
}: Pick<Services, "dependencies" | "limits">): Pick<Handlers, "listSources" | "getSource"> {
  const sources = (registry.toolSources ?? [])
    .flatMap((entry) => entry.definitions.map((definition) => ({ entry, definition })))
    .toSorted(({ definition: one }, { definition: other }) => (one.name < other.name ? -1 : 1));
  return {
    listSources: async () => {
      const views = sources.map(({ entry, definition }) => sourceView(entry, definition));
      return jsonAnswer({ sources: views, next_cursor: null });
    },
    getSource: async ({ params, caller, headOnly }) => {
      const found = sources.find(({ definition }) => definition.name === params.name);
      if (found === undefined) {
        const names = sources.map(({ definition }) => definition.name);
        throw unknownDefinition("source", params.name, names);
      }
      const { entry, definition } = found;
      // The body of a response to HEAD is dropped.
      if (headOnly) return jsonAnswer(sourceView(entry, definition));
      // It connects to a server, like the call of a tool.
      await limits.invoke(caller);
      return jsonAnswer(await sourceState(entry, definition, caller.user));
    },
  };
}

function sourceView({ kind }: ToolSourceEntry, { name, prefix, file }: ToolSourceDefinition): SourceView {
  return { name, file, kind, prefix };
}

/** The name of the file of a skill that contains its instructions. */
const mainFile = "SKILL.md";

export function skillHandlers({ skills: entry }: Pick<Registry, "skills">): Pick<Handlers, "listSkills" | "getSkill"> {
  const load = async () => (await entry?.project()) ?? [];
  const view = ({ name, description }: { name: string; description: string }) => {
    return { name, file: `agents/skills/${name}/${mainFile}`, description };
  };
  return {
    listSkills: async () => jsonAnswer({ skills: (await load()).map(view), next_cursor: null }),
    getSkill: async ({ params }) => {
      const skills = await load();
      const skill = skills.find(({ name }) => name === params.name);
      if (skill === undefined) {
        const names = skills.map(({ name }) => name);
        throw unknownDefinition("skill", params.name, names);
      }
      const files = Object.entries(skill.files).map(([path, text]) => ({ path, text }));
      const others = files.filter(({ path }) => path !== mainFile);
      return jsonAnswer({ ...view(skill), text: skill.files[mainFile] ?? "", files: others });
    },
  };
}
