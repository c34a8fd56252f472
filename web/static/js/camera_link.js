// Connection that sends a phone's pictures: by WebSocket to the table itself, or by successive POST requests to a
// club's hub. Both classes have open, send(jpeg) and close(). `hears` has two callbacks. took({ frame, seen, worker,
// seeing }) is called once at the beginning and after each picture. lost(reason) gets the table's error, or null if
// a new attempt may succeed.

const FINAL_CODES = [4403, 4409, 4413, 4415, 4429]; // close codes of the table after which a retry is useless
const FINAL_STATUSES = [403, 404, 413, 415]; // the same for statuses of the hub; also 409 when another phone has taken over

/** WebSocket to the table. */
export class TableSocket {
  constructor(key, hears) {
    const address = new URL("/api/phone", location.href);
    address.protocol = location.protocol.replace("http", "ws");
    this.socket = new WebSocket(address);
    this.socket.onopen = () => this.socket.send(JSON.stringify({ key }));
    this.socket.onmessage = ({ data }) => hears.took(JSON.parse(data));
    // The reason is the template of a message without arguments.
    this.socket.onclose = ({ code, reason }) => hears.lost(FINAL_CODES.includes(code) ? { message: reason, said: { template: reason, args: {} } } : null);
  }

  get open() {
    return this.socket.readyState <= WebSocket.OPEN;
  }

  send(jpeg) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(jpeg);
  }

  close() {
    this.socket.close();
  }
}

/** Posts to the hub for `table`. */
export class HubPosts {
  constructor(table, key, hears) {
    this.address = `/api/tables/${encodeURIComponent(table)}/camera`;
    this.headers = { "X-Table-Key": key, "X-Phone": crypto.getRandomValues(new Uint32Array(2)).join("-"), "Content-Type": "image/jpeg" };
    this.hears = hears;
    this.open = true;
    queueMicrotask(() => hears.took({}));
  }

  async send(jpeg) {
    try {
      const answer = await fetch(this.address, { method: "POST", headers: this.headers, body: jpeg });
      const told = await answer.json();
      if (answer.ok) this.hears.took(told);
      else if (told.error.code === "too_soon") this.hears.took({});
      else this.#lost(FINAL_STATUSES.includes(answer.status) || told.error.code === "replaced" ? told.error : null);
    } catch {
      this.#lost(null);
    }
  }

  #lost(reason) {
    this.close();
    this.hears.lost(reason);
  }

  close() {
    this.open = false;
  }
}
