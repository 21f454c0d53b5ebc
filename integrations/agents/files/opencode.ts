// askpane for opencode, and for Kilo, which is opencode under another name: its own tool
// `question` is answered in a popup, in the multiplexer that its person uses.
// `askpane install` writes this file and the constants; `askpane uninstall` removes it.
//
// opencode's own dialog stays up meanwhile, and the first answer wins: one given
// there closes the popup. Where askpane can show nothing the dialog is there.
import { spawn, type ChildProcess } from "node:child_process";

const ASKPANE = "askpane";
const AGENT = "opencode";

type Asked = { id: string; sessionID: string; questions: unknown[] };
type Envelope = { outcome: string; details: { answers?: string[][]; reason?: string }; note?: string };

export const Askpane = async ({ client, directory }: any) => {
	const waiting = new Map<string, ChildProcess>();
	const reply = (id: string, answers: string[][] | undefined) =>
		client._client.post({
			url: `/question/${encodeURIComponent(id)}/${answers ? "reply" : "reject"}`,
			body: answers ? { answers } : {},
			headers: { "content-type": "application/json" },
		});
	const ask = ({ id, sessionID, questions }: Asked) => {
		// In a session of its own, so that it never draws on opencode's terminal.
		const child = spawn(ASKPANE, ["ask", "--dialect", "opencode", "--agent", AGENT], {
			cwd: directory,
			env: { ...process.env, ASKPANE_SESSION: sessionID },
			detached: true,
			stdio: ["pipe", "pipe", "ignore"],
		});
		waiting.set(id, child);
		let out = "";
		child.stdout!.setEncoding("utf8").on("data", (text) => (out += text));
		child.stdin!.on("error", () => {}); // it ended before it read
		child.on("error", () => waiting.delete(id)); // the dialog is there
		child.on("close", async () => {
			if (!waiting.delete(id)) return; // answered in the dialog
			try {
				const e: Envelope = JSON.parse(out);
				if (e.outcome === "answered" || e.outcome === "cancelled") await reply(id, answers(questions.length, e));
			} catch {
				// the dialog is there
			}
		});
		child.stdin!.end(JSON.stringify({ questions }));
	};
	return {
		event: async ({ event }: any) => {
			if (event.type === "question.asked") ask(event.properties);
			if (event.type === "question.replied" || event.type === "question.rejected") {
				const { requestID } = event.properties;
				const child = waiting.get(requestID);
				waiting.delete(requestID);
				child?.kill("SIGTERM");
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
