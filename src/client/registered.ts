// The names and types that a project declares for `threadhold`. `@threadhold/client` has no dependency on that package: in a program without
// it, TypeScript reads its types as `any`, and any name is accepted.

import type { AgentName as DeclaredAgentName, Register as DeclaredRegister } from "threadhold";

type OrElse<Declared, Otherwise> = 0 extends Declared & 1 ? Otherwise : Declared;

/** Names of the agents that the project declares. */
export type AgentName = OrElse<DeclaredAgentName, string>;

/** What the project declares for `threadhold`. */
export type Register = OrElse<DeclaredRegister, object>;
