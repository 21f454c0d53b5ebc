// askpane for opencode, and for Kilo, which is opencode under another name: what it needs a
// permission for is asked in a popup, too, in the multiplexer that its person uses.
// `askpane install` writes this file and the constants; `askpane uninstall` removes it.
//
// opencode's own prompt stays up meanwhile, and the first answer wins: one given
// there closes the popup. Where askpane does not ask, the prompt is there.
import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";

const ASKPANE = "askpane";
const AGENT = "opencode";

type Asked = { id: string; sessionID: string; tool?: { callID: string } };

export const AskpanePermissions = async ({ client, directory }: any) => {
	const waiting = new Map<string, ChildProcess>();
	const inputs = new Map<string, unknown>(); // of the calls that run
	const asking = new Map<string, string>(); // for what of theirs
	const over = (id: string) => {
		waiting.get(id)?.stdin!.end("false\n");
		waiting.delete(id);
	};
	// Tells whether opencode has taken it: the first reply counts.
	const reply = async (id: string, line: string): Promise<boolean> => {
		const { response } = await client._client.post({
			url: `/permission/${encodeURIComponent(id)}/reply`,
			body: JSON.parse(line),
			headers: { "content-type": "application/json" },
		});
		return response.ok;
	};
	const ask = async (asked: Asked) => {
		// In a session of its own, so that it never draws on opencode's terminal.
		const child = spawn(ASKPANE, ["hook", "plugin", AGENT], { cwd: directory, detached: true, stdio: ["pipe", "pipe", "ignore"] });
		waiting.set(asked.id, child);
		child.stdin!.on("error", () => {}); // it ended before it read
		child.on("error", () => {}); // it has not started
		const call = `${asked.sessionID} ${asked.tool?.callID}`;
		const input = inputs.get(call);
		asking.set(call, asked.id);
		child.stdin!.write(JSON.stringify({ ...asked, directory, input }) + "\n");
		for await (const line of createInterface({ input: child.stdout! })) {
			if (!waiting.delete(asked.id)) break; // answered in the prompt
			const taken = await reply(asked.id, line).catch(() => false);
			child.stdin!.end(`${taken}\n`);
		}
		waiting.delete(asked.id);
	};
	return {
		"tool.execute.before": async ({ sessionID, callID }: any, { args }: any) => {
			inputs.set(`${sessionID} ${callID}`, args);
		},
		event: async ({ event: { type, properties } }: any) => {
			if (type === "permission.asked") ask(properties).catch(() => {}); // the prompt is there
			if (type === "permission.replied") over(properties.requestID);
			// Also where it was aborted: opencode would take a permission, and run nothing.
			if (type === "message.part.updated" && ["completed", "error"].includes(properties.part.state?.status)) {
				const call = `${properties.part.sessionID} ${properties.part.callID}`;
				over(asking.get(call) ?? "");
				asking.delete(call);
				inputs.delete(call);
			}
		},
	};
};
