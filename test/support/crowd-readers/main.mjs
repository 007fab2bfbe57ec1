// Crowds of subscribers in a process of their own, so that their cost counts neither for the test nor for the measured
// server. In production subscribers run on other machines, so here their process has a lower priority than the server.
// It takes commands over the channel to its parent process, and ends with that process.

import { constants, setPriority } from "node:os";

import { Member } from "./member.mjs";

const acknowledgeIntervalMs = 1000;
const openAtOnce = 20;

setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

/** @type {Map<string, Member[]>} */
const crowds = new Map();

function all(crowd) {
  return crowds.get(crowd) ?? [];
}

const commands = {
  async join({ crowd, url, count, silent }) {
    const members = all(crowd);
    crowds.set(crowd, members);
    let left = count;
    const open = async () => {
      while (left > 0) {
        left -= 1;
        const member = new Member(url, silent);
        await member.opened();
        members.push(member);
      }
    };
    await Promise.all(Array.from({ length: openAtOnce }, open));
  },
  async ended({ crowd }) {
    await Promise.all(all(crowd).map((member) => member.ended()));
  },
  keep({ crowd }) {
    for (const member of all(crowd)) {
      member.frames = [];
      member.keeps = true;
    }
  },
  /** The frames of one member. */
  frames({ crowd, index }) {
    return all(crowd)[index]?.frames ?? [];
  },
  sizes({ crowd }) {
    return all(crowd).map(({ bytes, largest }) => ({ bytes, largest }));
  },
  stall({ crowd }) {
    for (const member of all(crowd)) member.stall();
  },
  /** The close code of the first connection that is closed. */
  closed({ crowd }) {
    return Promise.race(all(crowd).map((member) => member.closed));
  },
  leave({ crowd }) {
    for (const member of all(crowd)) member.close();
    crowds.delete(crowd);
  },
};

setInterval(() => {
  for (const members of crowds.values()) for (const member of members) member.beat();
}, acknowledgeIntervalMs);

async function answer({ id, act, of }) {
  try {
    process.send?.({ id, value: await commands[act](of) });
  } catch (thrown) {
    process.send?.({ id, failed: String(thrown) });
  }
}

process.on("message", (requested) => void answer(requested));
process.on("disconnect", () => process.exit(0));
