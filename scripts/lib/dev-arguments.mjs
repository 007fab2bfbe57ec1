// Reads the few arguments the dev command has to know itself; everything else goes to wrangler untouched.

import path from "node:path";

/**
 * @typedef {object} DevArguments
 * @property {boolean} help
 * @property {number | undefined} port as given; undefined leaves the choice to us
 * @property {string} stateFolder absolute, so that every wrangler command means the same folder
 * @property {string | undefined} ip
 * @property {string[]} shared arguments that other wrangler commands need as well, such as --config
 * @property {string[]} rest for `wrangler dev`
 */

const taken = new Map([
  ["--port", "port"],
  ["--persist-to", "persistTo"],
  ["--ip", "ip"],
  ["--config", "config"],
  ["-c", "config"],
]);

/**
 * @param {string[]} args
 * @param {string} workingFolder against which a relative state folder is resolved
 * @returns {DevArguments}
 */
export function parseDevArguments(args, workingFolder) {
  /** @type {Record<string, string>} */
  const values = {};
  const rest = [];
  let help = false;
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    const equals = arg.indexOf("=");
    const key = taken.get(equals === -1 ? arg : arg.slice(0, equals));
    if (arg === "--help" || arg === "-h") help = true;
    else if (key === undefined) rest.push(arg);
    else {
      const value = equals === -1 ? args[++index] : arg.slice(equals + 1);
      if (!value) throw new Error(`${arg} needs a value.`);
      values[key] = value;
    }
  }
  return {
    help,
    port: values.port === undefined ? undefined : portNumber(values.port),
    stateFolder: path.resolve(workingFolder, values.persistTo ?? ".wrangler/state"),
    ip: values.ip,
    shared: values.config === undefined ? [] : ["--config", path.resolve(workingFolder, values.config)],
    rest,
  };
}

function portNumber(text) {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`--port ${text} is no port number.`);
  return port;
}
