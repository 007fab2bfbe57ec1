// Reads the arguments of the dev command. Options that it does not know are wrangler's.

import path from "node:path";

/**
 * @typedef {object} DevArguments
 * @property {boolean} help
 * @property {boolean} json whether the Worker's log lines are printed as they are
 * @property {boolean} inspect whether wrangler's inspector runs
 * @property {number | undefined} port as given; undefined leaves the choice to us
 * @property {string} stateFolder absolute, so that every wrangler command means the same folder
 * @property {string | undefined} ip
 * @property {string | undefined} config absolute
 * @property {[name: string, value: string][]} variables
 * @property {string[]} rest for the command line of `wrangler dev`
 */

const taken = new Map([
  ["--port", "port"],
  ["--persist-to", "persistTo"],
  ["--ip", "ip"],
  ["--config", "config"],
  ["-c", "config"],
  ["--var", "var"],
]);

const flags = new Map([
  ["--help", "help"],
  ["-h", "help"],
  ["--json", "json"],
  ["--inspect", "inspect"],
]);

/**
 * @param {string[]} args
 * @param {string} workingFolder against which a relative state folder is resolved
 * @returns {DevArguments}
 */
export function parseDevArguments(args, workingFolder) {
  /** @type {Record<string, string>} */
  const values = {};
  const given = { help: false, json: false, inspect: false };
  /** @type {[string, string][]} */
  const variables = [];
  const rest = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    const equals = arg.indexOf("=");
    const key = taken.get(equals === -1 ? arg : arg.slice(0, equals));
    const flag = flags.get(arg);
    if (flag !== undefined) given[flag] = true;
    else if (key === undefined) rest.push(arg);
    else {
      const value = equals === -1 ? args[++index] : arg.slice(equals + 1);
      if (!value) throw new Error(`${arg} needs a value.`);
      if (key === "var") variables.push(variable(value));
      else values[key] = value;
    }
  }
  return {
    ...given,
    port: values.port === undefined ? undefined : portNumber(values.port),
    stateFolder: path.resolve(workingFolder, values.persistTo ?? ".wrangler/state"),
    ip: values.ip,
    config: values.config === undefined ? undefined : path.resolve(workingFolder, values.config),
    variables,
    rest,
  };
}

/** @returns {[string, string]} */
function variable(text) {
  const colon = text.indexOf(":");
  if (colon < 1) throw new Error(`--var ${text} is no NAME:VALUE.`);
  return [text.slice(0, colon), text.slice(colon + 1)];
}

function portNumber(text) {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`--port ${text} is no port number.`);
  return port;
}
