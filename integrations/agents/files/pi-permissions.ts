// askpane for pi: what its person has listed in the setting permissionAsk needs their permission
// before it runs. `askpane install pi --only permissions --write` writes this file and the constant;
// `askpane uninstall pi` removes it.
//
// pi has no prompt of its own for that: what nobody has allowed is blocked.
import { spawn } from "node:child_process";
import { json } from "node:stream/consumers";
import type { ExtensionAPI, ToolCallEventResult } from "@earendil-works/pi-coding-agent";

const ASKPANE = "askpane";

const FAILED = { block: true, reason: "askpane could not be run, and so nobody was asked whether this is allowed. Its person can run askpane install pi --write again." };

export default function (pi: ExtensionAPI) {
	pi.on("tool_call", ({ toolName, input }, ctx) => {
		// In a session of its own, so that it never draws on pi's terminal.
		const child = spawn(ASKPANE, ["hook", "plugin", "pi"], { cwd: ctx.cwd, detached: true, stdio: ["pipe", "pipe", "ignore"], signal: ctx.signal });
		child.on("error", () => {}); // it has not started, or pi has ended it: what it printed tells
		child.stdin.on("error", () => {}); // it ended before it read
		child.stdin.end(JSON.stringify({ permission: toolName, input, sessionID: ctx.sessionManager.getSessionId(), directory: ctx.cwd }));
		return json(child.stdout).catch(() => FAILED) as Promise<ToolCallEventResult>;
	});
}
