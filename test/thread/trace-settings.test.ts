// The variables of the export of traces, and the `traceparent` header.

import { describe, expect, it } from "vitest";

import { headerSecrets, traceSettings } from "#lib/trace-settings.ts";
import { parseTraceparent, spanIdOf, traceIdOf, traceparent } from "#thread/trace/trace-context.ts";

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "https://otel.example.com" };

/** The settings, and the variables that were reported as invalid. */
function read(variables: Record<string, string>) {
  const invalid: string[] = [];
  const settings = traceSettings(variables, (name) => invalid.push(name));
  return { settings, invalid };
}

describe("traceSettings", () => {
  it("Without an OpenTelemetry endpoint, with OTEL_SDK_DISABLED or with the exporter none, nothing is exported and no error is reported", () => {
    for (const variables of [
      {},
      { OTEL_SERVICE_NAME: "mine" },
      { ...endpoint, OTEL_SDK_DISABLED: "true" },
      { ...endpoint, OTEL_TRACES_EXPORTER: "none" },
    ])
      expect(read(variables)).toEqual({ settings: null, invalid: [] });
  });

  it("The path of traces is appended to the OpenTelemetry endpoint for all signals, and the endpoint for traces is used unchanged", () => {
    const urlOf = (variables: Record<string, string>) => read(variables).settings?.url;
    expect(urlOf(endpoint)).toBe("https://otel.example.com/v1/traces");
    expect(urlOf({ OTEL_EXPORTER_OTLP_ENDPOINT: "https://otel.example.com/in/" })).toBe(
      "https://otel.example.com/in/v1/traces",
    );
    expect(urlOf({ ...endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:4318/spans" })).toBe(
      "http://127.0.0.1:4318/spans",
    );
  });

  it("The OpenTelemetry variables for headers and resource attributes are decoded, and those for traces take precedence over those for all signals", () => {
    const { settings } = read({
      ...endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20abc, x-team = a%2Cb",
      OTEL_RESOURCE_ATTRIBUTES: "service.name=first,deployment.environment.name=test",
      OTEL_SERVICE_NAME: "threads",
      OTEL_EXPORTER_OTLP_TIMEOUT: "500",
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "700",
    });
    expect(settings).toMatchObject({
      headers: { authorization: "Bearer abc", "x-team": "a,b" },
      resource: { "service.name": "threads", "deployment.environment.name": "test" },
      timeoutMs: 700,
      ratio: 1,
      followsParent: true,
      content: false,
    });
  });

  it("TRACE10 With an invalid or unsupported value nothing is exported, and the variable is reported", () => {
    for (const [name, value] of [
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "otel.example.com"],
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "http://otel.example.com"],
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "https://name:password@otel.example.com"],
      ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "ftp://otel.example.com"],
      ["OTEL_EXPORTER_OTLP_HEADERS", "authorization"],
      ["OTEL_EXPORTER_OTLP_HEADERS", "authorization=%E0%A4%A"],
      ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
      ["OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", "gzip"],
      ["OTEL_EXPORTER_OTLP_TIMEOUT", "0"],
      ["OTEL_TRACES_EXPORTER", "zipkin"],
      ["OTEL_TRACES_SAMPLER", "sometimes"],
      ["OTEL_BSP_MAX_QUEUE_SIZE", "many"],
    ] as const)
      expect([name, value, read({ ...endpoint, [name]: value })]).toEqual([
        name,
        value,
        { settings: null, invalid: [name] },
      ]);
    const ratio = { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "2" };
    expect(read({ ...endpoint, ...ratio }).invalid).toEqual(["OTEL_TRACES_SAMPLER_ARG"]);
  });

  it("TRACE10 Each variable with an invalid value is reported once, with a text about the valid values", () => {
    const wrong = {
      OTEL_EXPORTER_OTLP_ENDPOINT: "otel.example.com",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: "a,b",
      OTEL_TRACES_SAMPLER: "constructor",
      OTEL_EXPORTER_OTLP_TIMEOUT: "soon",
    };
    const reported: Record<string, string> = {};
    expect(traceSettings(wrong, (name, valid) => (reported[name] = `${reported[name] ?? ""}${valid}`))).toBeNull();
    expect(Object.keys(reported).toSorted()).toEqual(Object.keys(wrong).toSorted());
    expect(reported["OTEL_EXPORTER_OTLP_TRACES_HEADERS"]).toBe(
      "name=value,name=value with the values in percent encoding",
    );
    expect(Object.values(reported)).not.toContain("");
  });

  it("The values of the collector's headers are treated as secrets, with and without their scheme", () => {
    const secrets = headerSecrets({ OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20abcdef,x-key=k%2D1" });
    expect(secrets).toEqual(expect.arrayContaining(["Bearer abcdef", "abcdef", "k-1"]));
  });
});

describe("traceparent", () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const parentId = "b7ad6b7169203331";

  it("A valid traceparent header is parsed, and a new one is written for the work below a span", () => {
    expect(parseTraceparent(`00-${traceId}-${parentId}-01`)).toEqual({ traceId, parentId, sampled: true });
    expect(parseTraceparent(`cc-${traceId}-${parentId}-00-what`)).toEqual({ traceId, parentId, sampled: false });
    expect(traceparent({ traceId, parentId, sampled: true }, "00f067aa0ba902b7")).toBe(
      `00-${traceId}-00f067aa0ba902b7-01`,
    );
  });

  it.for([
    "",
    "00",
    `ff-${traceId}-${parentId}-01`,
    `00-${"0".repeat(32)}-${parentId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${parentId}-01`,
    `00-${traceId}-${parentId}-01-\n`.replace("-01-", "-1-"),
  ])("The invalid traceparent header %j is ignored", (header) => {
    expect(parseTraceparent(header)).toBeNull();
  });

  it("The ids of traces and spans are the same for the same row, differ between rows, and have evenly distributed last bits", () => {
    const ids = Array.from({ length: 2000 }, (_, index) => traceIdOf(`01a2085c-69f7-7000-8000-${index}`));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => /^[0-9a-f]{32}$/.test(id))).toBe(true);
    const below = ids.filter((id) => Number.parseInt(id.slice(-14), 16) < 2 ** 55).length;
    expect(Math.abs(below - 1000)).toBeLessThan(150);
    expect(spanIdOf("run", "a")).toBe(spanIdOf("run", "a"));
    expect(spanIdOf("run", "a")).not.toBe(spanIdOf("call", "a"));
  });
});
