// Reads the variables of OpenTelemetry. Without an endpoint nothing is traced. If a value is invalid, nothing is traced either, so that a
// typing mistake sends no data to an unintended address; the Worker logs the variable.

/** How spans are exported. */
export interface TraceSettings {
  /** The address of the collector for traces. */
  url: string;
  headers: Record<string, string>;
  /** Milliseconds for one request. */
  timeoutMs: number;
  /** Attributes of the service. */
  resource: Record<string, string>;
  /** The share of the traces that is exported, by trace id, from 0 to 1. */
  ratio: number;
  /** Whether the decision of the caller's `traceparent` takes precedence over the ratio. */
  followsParent: boolean;
  /** Whether spans contain messages, arguments and results. */
  content: boolean;
  /** The maximum number of spans in memory. Further ones are dropped. */
  queueSize: number;
  /** The maximum number of spans in one request. */
  batchSize: number;
}

const samplers: Record<string, { ratio: number | null; followsParent: boolean }> = {
  always_on: { ratio: 1, followsParent: false },
  always_off: { ratio: 0, followsParent: false },
  traceidratio: { ratio: null, followsParent: false },
  parentbased_always_on: { ratio: 1, followsParent: true },
  parentbased_always_off: { ratio: 0, followsParent: true },
  parentbased_traceidratio: { ratio: null, followsParent: true },
};

/**
 * The valid values of the variables. A variable for traces only, such as `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`, has the same valid values.
 */
const validValues: Readonly<Record<string, string>> = {
  OTEL_EXPORTER_OTLP_ENDPOINT: "an https address without a user name, or an http address of this machine",
  OTEL_EXPORTER_OTLP_HEADERS: "name=value,name=value with the values in percent encoding",
  OTEL_EXPORTER_OTLP_TIMEOUT: "a whole number of milliseconds above 0",
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  OTEL_EXPORTER_OTLP_COMPRESSION: "none",
  OTEL_RESOURCE_ATTRIBUTES: "name=value,name=value with the values in percent encoding",
  OTEL_TRACES_EXPORTER: "otlp or none",
  OTEL_TRACES_SAMPLER: Object.keys(samplers).join(", "),
  OTEL_TRACES_SAMPLER_ARG: "a number from 0 to 1",
  OTEL_BSP_MAX_QUEUE_SIZE: "a whole number above 0",
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "a whole number above 0",
};

/** Called with the name of a variable whose value is invalid. */
type ReportInvalid = (name: string) => void;

/**
 * Reads the settings; null if nothing is traced. `onInvalid` is called once for each variable that has an invalid value, with its name and
 * a text about the valid ones.
 */
export function traceSettings(
  variables: Readonly<Record<string, unknown>>,
  onInvalid: (name: string, valid: string) => void = () => {},
): TraceSettings | null {
  const text = (name: string): string => {
    const value = variables[name];
    return typeof value === "string" ? value.trim() : "";
  };
  const isOff = text("OTEL_SDK_DISABLED").toLowerCase() === "true" || text("OTEL_TRACES_EXPORTER") === "none";
  if (isOff || (text(endpoint) === "" && text(tracesEndpoint) === "")) return null;
  const invalid = new Set<string>();
  const settings = readSettings(text, (name) => invalid.add(name));
  for (const name of invalid) onInvalid(name, validValues[name.replace("_OTLP_TRACES_", "_OTLP_")] ?? "");
  return invalid.size === 0 ? settings : null;
}

const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT";
const tracesEndpoint = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";

function readSettings(text: (name: string) => string, report: ReportInvalid): TraceSettings {
  // The variable for traces takes precedence over the one for all signals (OpenTelemetry, OTLP exporter).
  const ofTraces = (name: string): [name: string, value: string] => {
    const special = name.replace("_OTLP_", "_OTLP_TRACES_");
    return text(special) === "" ? [name, text(name)] : [special, text(special)];
  };
  const exporter = text("OTEL_TRACES_EXPORTER");
  if (exporter !== "" && exporter !== "otlp") report("OTEL_TRACES_EXPORTER");
  const [protocolName, protocol] = ofTraces("OTEL_EXPORTER_OTLP_PROTOCOL");
  if (protocol !== "" && protocol !== "http/json") report(protocolName);
  const [compressionName, compression] = ofTraces("OTEL_EXPORTER_OTLP_COMPRESSION");
  if (compression !== "" && compression !== "none") report(compressionName);
  const [headersName, headers] = ofTraces("OTEL_EXPORTER_OTLP_HEADERS");
  const [timeoutName, timeout] = ofTraces("OTEL_EXPORTER_OTLP_TIMEOUT");
  const resource = pairs("OTEL_RESOURCE_ATTRIBUTES", text("OTEL_RESOURCE_ATTRIBUTES"), report);
  const service = text("OTEL_SERVICE_NAME");
  const count = (name: string, value: string, standard: number) =>
    positive(value, standard) ?? (report(name), standard);
  const queueSize = count("OTEL_BSP_MAX_QUEUE_SIZE", text("OTEL_BSP_MAX_QUEUE_SIZE"), 2048);
  return {
    url: collectorUrl(ofTraces(endpoint), report),
    headers: pairs(headersName, headers, report),
    timeoutMs: count(timeoutName, timeout, 10_000),
    resource: { "service.name": "threadhold", ...resource, ...(service === "" ? {} : { "service.name": service }) },
    ...sampler(text, report),
    content: ["true", "span_only", "span_and_event"].includes(
      text("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT").toLowerCase(),
    ),
    queueSize,
    batchSize: Math.min(
      count("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", text("OTEL_BSP_MAX_EXPORT_BATCH_SIZE"), 512),
      queueSize,
    ),
  };
}

/** The address for traces. Only loopback addresses may be without TLS, because spans name the deployment's agents and tools. */
function collectorUrl([name, value]: [name: string, value: string], report: ReportInvalid): string {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null) {
    report(name);
    return "";
  }
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && isLoopback);
  if (!isSafe || url.username !== "" || url.password !== "") report(name);
  if (name === endpoint) url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, "")}/v1/traces`;
  return url.href;
}

/** Reads `name=value,name=value`, with values in percent encoding (W3C Baggage). */
function pairs(variable: string, text: string, report: ReportInvalid): Record<string, string> {
  const read: Record<string, string> = {};
  for (const pair of text.split(",").filter((entry) => entry.trim() !== "")) {
    const [, name = "", value = ""] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    try {
      if (name === "") report(variable);
      else read[name] = decodeURIComponent(value);
    } catch {
      report(variable);
    }
  }
  return read;
}

/** The number in the text, `standard` for an empty text, null for anything but a whole number above 0. */
function positive(text: string, standard: number): number | null {
  const value = text === "" ? standard : Number(text);
  return Number.isSafeInteger(value) && value > 0 ? value : null;
}

function sampler(
  text: (name: string) => string,
  report: ReportInvalid,
): Pick<TraceSettings, "ratio" | "followsParent"> {
  const name = text("OTEL_TRACES_SAMPLER");
  const chosen = Object.hasOwn(samplers, name) ? samplers[name] : undefined;
  if (chosen === undefined && name !== "") report("OTEL_TRACES_SAMPLER");
  const { ratio, followsParent } = chosen ?? { ratio: 1, followsParent: true };
  if (ratio !== null) return { ratio, followsParent };
  const argument = text("OTEL_TRACES_SAMPLER_ARG");
  const given = argument === "" ? 1 : Number(argument);
  if (!(given >= 0 && given <= 1)) report("OTEL_TRACES_SAMPLER_ARG");
  return { ratio: given, followsParent };
}

/** The secrets in the variables for headers: each value, decoded, and the part after a scheme such as `Bearer`. */
export function headerSecrets(variables: Readonly<Record<string, unknown>>): string[] {
  return ["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"].flatMap((name) => {
    const value = variables[name];
    if (typeof value !== "string") return [];
    let isValid = true;
    const headers = pairs(name, value, () => (isValid = false));
    const secrets = Object.values(headers).flatMap((secret) => [secret, secret.replace(/^\S+\s+/, "")]);
    return isValid ? secrets : [value, ...secrets];
  });
}
