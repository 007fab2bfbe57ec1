// The routes that show the project's definitions, as rows of the one route table.

import type { BuiltInRoute } from "./built-in-route.ts";
import {
  agentViewSchema,
  filterViewSchema,
  hookViewSchema,
  modelViewSchema,
  promptViewSchema,
  routeViewSchema,
  strategyViewSchema,
  toolViewSchema,
} from "./definition.ts";
import { listSchema } from "./list-page.ts";

/** The rows. */
export const definitionRoutes = {
  listAgents: {
    method: "GET",
    path: "/api/agents",
    summary: "The agents",
    tag: "definitions",
    access: "user",
    answers: { 200: listSchema("agents", agentViewSchema) },
  },
  getAgent: {
    method: "GET",
    path: "/api/agents/:name",
    summary: "One agent",
    tag: "definitions",
    access: "user",
    answers: { 200: agentViewSchema },
  },
  listPrompts: {
    method: "GET",
    path: "/api/prompts",
    summary: "The prompts",
    tag: "definitions",
    access: "user",
    answers: { 200: listSchema("prompts", promptViewSchema) },
  },
  getPrompt: {
    method: "GET",
    path: "/api/prompts/:name",
    summary: "One prompt",
    tag: "definitions",
    access: "user",
    answers: { 200: promptViewSchema },
  },
  listModels: {
    method: "GET",
    path: "/api/models",
    summary: "The models, and whether each is ready",
    tag: "definitions",
    access: "user",
    answers: { 200: listSchema("models", modelViewSchema) },
  },
  getModel: {
    method: "GET",
    path: "/api/models/:name",
    summary: "One model",
    tag: "definitions",
    access: "user",
    answers: { 200: modelViewSchema },
  },
  listTools: {
    method: "GET",
    path: "/api/tools",
    summary:
      "What a model may call, with the JSON Schema of the arguments: tools, prompts that others offer, exposed agents",
    tag: "definitions",
    access: "user",
    answers: { 200: listSchema("tools", toolViewSchema) },
  },
  getTool: {
    method: "GET",
    path: "/api/tools/:name",
    summary: "One of what a model may call",
    tag: "definitions",
    access: "user",
    answers: { 200: toolViewSchema },
  },
  listStrategies: {
    method: "GET",
    path: "/api/strategies",
    summary: "The project's own strategies",
    tag: "definitions",
    access: "user",
    answers: { 200: listSchema("strategies", strategyViewSchema) },
  },
  listHooks: {
    method: "GET",
    path: "/api/hooks",
    summary: "The hooks, in the order in which they run",
    tag: "definitions",
    access: "user",
    answers: { 200: listSchema("hooks", hookViewSchema) },
  },
  listFilters: {
    method: "GET",
    path: "/api/filters",
    summary: "The input filters of the project, in the order in which they run",
    tag: "definitions",
    access: "user",
    answers: { 200: listSchema("filters", filterViewSchema) },
  },
  listRoutes: {
    method: "GET",
    path: "/api/routes",
    summary: "The project's own routes",
    tag: "definitions",
    access: "user",
    answers: { 200: listSchema("routes", routeViewSchema) },
  },
} as const satisfies Record<string, BuiltInRoute>;
