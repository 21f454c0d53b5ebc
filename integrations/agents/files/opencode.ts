// askpane for opencode: its own tool `question` is answered in a popup, in the
// multiplexer that its person uses. `askpane install opencode` writes this file
// and the constant; `askpane uninstall opencode` removes it.
//
// opencode's own dialog stays up meanwhile, and the first answer wins: one given
// there closes the popup. Where askpane can show nothing the dialog is there.
import { spawn, type ChildProcess } from "node:child_process";

const ASKPANE = "askpane";

type Question = { question: string; header: string; options: { label: string; description?: string }[]; multiple?: boolean };
type Asked = { id: string; sessionID: string; questions: Question[] };
type Details = { answers: Record<string, string>; annotations?: Record<string, { notes?: string }>; reason?: string };
type Envelope = { outcome: string; details: Details; note?: string };

export const Askpane = async ({ client, directory }: any) => {
	const waiting = new Map<string, ChildProcess>();
	const reply = (id: string, answers: string[][] | undefined) =>
		client._client.post({
			url: `/question/${encodeURIComponent(id)}/${answers ? "reply" : "reject"}`,
			body: answers ? { answers } : {},
			headers: { "content-type": "application/json" },
		});
	const ask = ({ id, sessionID, questions }: Asked) => {
		const request = {
			questions: questions.map(({ question, header, options, multiple }) => ({ question, header, options, multiSelect: multiple === true })),
		};
		// In a session of its own, so that it never draws on opencode's terminal.
		const child = spawn(ASKPANE, ["ask", "--dialect", "AskUserQuestion", "--agent", "opencode"], {
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
				if (e.outcome === "answered" || e.outcome === "cancelled") await reply(id, answers(questions, e));
			} catch {
				// the dialog is there
			}
		});
		child.stdin!.end(JSON.stringify(request));
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
function answers(questions: Question[], { outcome, details, note }: Envelope): string[][] | undefined {
	if (outcome === "cancelled" && !details.reason) return undefined;
	const all = questions.map((q) => {
		if (outcome === "cancelled") return [`not chosen: ${details.reason}`];
		const notes = details.annotations?.[q.question]?.notes;
		return [...labels(q, details.answers[q.question]), ...(notes ? [`note: ${notes}`] : [])];
	});
	if (note) all[all.length - 1].push(`(askpane: ${note})`);
	return all;
}

/** askpane joins the labels of several by a comma; labels may have one too. */
function labels(q: Question, said: string): string[] {
	if (!q.multiple) return [said];
	const found: string[] = [];
	let rest = said;
	for (let more = true; more && rest; ) {
		const next = q.options.map((o) => o.label).filter((l) => rest === l || rest.startsWith(`${l}, `)).sort((a, b) => b.length - a.length)[0];
		more = next !== undefined;
		if (next === undefined) found.push(rest); // in their own words, which come last
		else {
			found.push(next);
			rest = rest.slice(next.length + 2);
		}
	}
	return found;
}
