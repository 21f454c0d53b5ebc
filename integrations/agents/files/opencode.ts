// askpane for opencode, and for Kilo, which is opencode under another name: its own tool
// `question` is answered in a popup, in the multiplexer that its person uses.
// `askpane install` writes this file and the constants; `askpane uninstall` removes it.
//
// opencode's own dialog stays up meanwhile, and the first answer wins: one given
// there closes the popup. Where askpane can show nothing the dialog is there.
import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";

const ASKPANE = "askpane";
const AGENT = "opencode";

type Asked = { id: string; sessionID: string; tool?: { callID: string }; questions: unknown[] };
type Envelope = { outcome: string; details: { answers?: string[][]; reason?: string }; note?: string };

export const Askpane = async ({ client, directory }: any) => {
	const waiting = new Map<string, ChildProcess>();
	const asking = new Map<string, string>(); // the questions of the calls that run
	const over = (id: string) => {
		waiting.get(id)?.stdin!.end("false\n");
		waiting.delete(id);
	};
	// Tells whether opencode has taken it: the first reply counts.
	const reply = async (id: string, answers: string[][] | undefined): Promise<boolean> => {
		const { response } = await client._client.post({
			url: `/question/${encodeURIComponent(id)}/${answers ? "reply" : "reject"}`,
			body: answers ? { answers } : {},
			headers: { "content-type": "application/json" },
		});
		return response.ok;
	};
	const ask = async ({ id, sessionID, tool, questions }: Asked) => {
		asking.set(`${sessionID} ${tool?.callID}`, id);
		// In a session of its own, so that it never draws on opencode's terminal.
		const child = spawn(ASKPANE, ["hook", "plugin", AGENT, "opencode"], { cwd: directory, detached: true, stdio: ["pipe", "pipe", "ignore"] });
		waiting.set(id, child);
		child.stdin!.on("error", () => {}); // it ended before it read
		child.on("error", () => {}); // it has not started
		child.stdin!.write(JSON.stringify({ sessionID, questions }) + "\n");
		for await (const line of createInterface({ input: child.stdout! })) {
			if (!waiting.delete(id)) break; // answered in the dialog
			const taken = await reply(id, answers(questions.length, JSON.parse(line))).catch(() => false);
			child.stdin!.end(`${taken}\n`);
		}
		waiting.delete(id);
	};
	return {
		event: async ({ event: { type, properties } }: any) => {
			if (type === "question.asked") ask(properties).catch(() => {}); // the dialog is there
			if (type === "question.replied" || type === "question.rejected") over(properties.requestID);
			// Aborted: opencode would take an answer, which its model would never get.
			if (type === "message.part.updated" && ["completed", "error"].includes(properties.part.state?.status)) {
				const call = `${properties.part.sessionID} ${properties.part.callID}`;
				over(asking.get(call) ?? "");
				asking.delete(call);
			}
		},
	};
};

/**
 * Puts all that the person has written into the answers, since the model gets nothing else,
 * not even the reason of a rejection. Undefined rejects the question.
 */
function answers(count: number, { outcome, details, note }: Envelope): string[][] | undefined {
	let all = details.answers;
	if (outcome === "cancelled") all = details.reason ? Array.from({ length: count }, () => [`not chosen: ${details.reason}`]) : undefined;
	if (all && note) all[all.length - 1].push(`(askpane: ${note})`);
	return all;
}
