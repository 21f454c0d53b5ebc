// askpane for pi: what its person has listed in the setting permissionAsk needs their permission
// before it runs. `askpane install pi --only permissions --write` writes this file and the constant;
// `askpane uninstall pi` removes it.
//
// pi has no prompt of its own for that: what nobody has allowed is blocked.
import { spawn } from "node:child_process";
import type { ExtensionAPI, ToolCallEventResult } from "@earendil-works/pi-coding-agent";

const ASKPANE = "askpane";

const FAILED = { block: true, reason: "askpane could not be run, and so nobody was asked whether this is allowed. Its person can run askpane install pi --write again." };

export default function (pi: ExtensionAPI) {
	pi.on("tool_call", ({ toolName, input }, ctx) => {
		const { promise, resolve } = Promise.withResolvers<ToolCallEventResult>();
		// In a session of its own, so that it never draws on pi's terminal.
		const child = spawn(ASKPANE, ["hook", "plugin", "pi"], { cwd: ctx.cwd, detached: true, stdio: ["pipe", "pipe", "ignore"] });
		const abort = () => child.kill("SIGTERM");
		let out = "";
		child.stdout.setEncoding("utf8").on("data", (text) => (out += text));
		child.stdin.on("error", () => {}); // it ended before it read
		child.on("error", () => resolve(FAILED));
		child.on("close", () => {
			ctx.signal?.removeEventListener("abort", abort);
			try {
				resolve(JSON.parse(out));
			} catch {
				resolve(FAILED);
			}
		});
		ctx.signal?.addEventListener("abort", abort, { once: true });
		if (ctx.signal?.aborted) abort();
		child.stdin.end(JSON.stringify({ permission: toolName, input, sessionID: ctx.sessionManager.getSessionId(), directory: ctx.cwd }));
		return promise;
	});
}
