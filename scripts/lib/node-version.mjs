// The oldest version of Node that all pinned tools support.
const oldest = { major: 20, minor: 19 };

/**
 * @param {string} version such as "20.19.0"
 * @returns {string | undefined} the message for the user, if this Node is too old
 */
export function nodeTooOld(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > oldest.major || (major === oldest.major && minor >= oldest.minor)) return undefined;
  return `Threadhold needs Node ${oldest.major}.${oldest.minor} or newer; this is Node ${version}.`;
}
