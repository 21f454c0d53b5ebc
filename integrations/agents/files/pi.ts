// askpane for pi: the agent's questions open in a popup, in the multiplexer that
// its person uses. `askpane install pi --write` writes this file and the two constants;
// `askpane uninstall pi` removes it.
//
// Nothing here draws a form: `askpane ask` does, outside of pi's own screen,
// so it works in --print, JSON and RPC modes too.
import { execFile, spawn, spawnSync } from "node:child_process";
import { constants } from "node:os";
import type { ExtensionAPI, ExtensionContext, Theme } from "@earendil-works/pi-coding-agent";
import { Text } from "@earendil-works/pi-tui";

const ASKPANE = "askpane";
const TOOLS: Tool[] = [{"name":"ask_human","dialect":"ask_user"}];

/** What a model calls it, and the dialect of `askpane ask` that it speaks. */
type Tool = { name: string; dialect: string };
type Envelope = { outcome: string; text: string; details: any; isError: boolean; note?: string };
type Guidance = { description: string; snippet: string; guidelines: string[] };

export default async function (pi: ExtensionAPI) {
	const failed = new Set<string>();
	try {
		const told = await Promise.all(TOOLS.map(describe));
		TOOLS.forEach((tool, i) => register(pi, tool, told[i], failed)); // in their order
	} catch (err) {
		const why = err instanceof Error ? err.message : String(err);
		pi.on("session_start", (_event, ctx) => {
			const text = `askpane: its tools are not there: ${line(why)}. Run askpane install pi --write again.`;
			if (ctx.hasUI) ctx.ui.notify(text, "error");
			else console.error(text);
		});
	}
	// A returned result is never a failure to pi and a thrown one loses its
	// details, so the mark is put on afterwards.
	pi.on("tool_result", (event) => (failed.delete(event.toolCallId) ? { isError: true } : undefined));
	pi.registerCommand("askpane-settings", { description: "askpane's settings", handler: async (_args, ctx) => settings(ctx) });
}

/** What askpane tells models about a tool. */
async function describe(tool: Tool): Promise<{ schema: any; guidance: Guidance }> {
	const [schema, guidance] = await Promise.all([
		output(["schema", "--dialect", tool.dialect]),
		output(["guidance", "--json", "--dialect", tool.dialect]),
	]);
	return { schema: JSON.parse(schema), guidance: JSON.parse(guidance) };
}

function register(pi: ExtensionAPI, tool: Tool, { schema, guidance }: { schema: any; guidance: Guidance }, failed: Set<string>) {
	// The texts name the tool by its dialect.
	const named = (text: string) => text.replaceAll(new RegExp(`\\b${tool.dialect}\\b`, "g"), tool.name);
	pi.registerTool({
		name: tool.name,
		label: "Ask the person",
		description: guidance.description,
		promptSnippet: named(guidance.snippet).replace(`${tool.name}: `, ""), // pi puts the name in front
		promptGuidelines: guidance.guidelines.map((g) => (named(g).includes(tool.name) ? named(g) : `${tool.name}: ${named(g)}`)),
		parameters: flat(schema),
		async execute(id, params, signal, onUpdate, ctx) {
			const wait = { content: [{ type: "text" as const, text: "waiting for the person" }], details: undefined };
			onUpdate?.(wait);
			const stop = heartbeat(pi, tool, ctx.cwd, () => onUpdate?.(wait));
			try {
				const e = await ask(tool, params, signal, ctx);
				if (e.isError) failed.add(id);
				const said = e.note ? [e.text, e.note] : [e.text];
				return { content: said.map((text) => ({ type: "text" as const, text })), details: e.details };
			} finally {
				stop();
			}
		},
		renderCall: (args, theme) => new Text(callLine(tool, args, theme), 0, 0),
		renderResult: (result, { isPartial }, theme) => {
			const said = result.content.map((c) => (c.type === "text" ? c.text : "")).join("\n");
			return new Text(isPartial ? theme.fg("dim", line(said)) : resultLines(result.details, said, theme), 0, 0);
		},
	});
}

/** Some models' interfaces refuse a choice of shapes at the top of a tool. */
function flat(schema: any) {
	if (!schema.anyOf) return schema;
	const { anyOf, ...rest } = schema;
	return { ...rest, properties: Object.assign({}, ...anyOf.map((shape: any) => shape.properties)) };
}

/** What an askpane command prints. */
function output(args: string[], cwd?: string): Promise<string> {
	return new Promise((resolve, reject) => {
		execFile(ASKPANE, args, { cwd, timeout: 10_000 }, (err, stdout) => (err ? reject(err) : resolve(stdout)));
	});
}

/** Asks, and waits for as long as it takes. An abort ends the question. */
function ask(tool: Tool, params: unknown, signal: AbortSignal | undefined, ctx: ExtensionContext): Promise<Envelope> {
	return new Promise((resolve, reject) => {
		// In a session of its own, so that it never draws on pi's terminal and
		// pi's own Ctrl+C does not reach it.
		const child = spawn(ASKPANE, ["ask", "--dialect", tool.name, "--agent", "pi"], {
			cwd: ctx.cwd,
			env: { ...process.env, ASKPANE_SESSION: ctx.sessionManager.getSessionId() },
			detached: true,
		});
		const abort = () => child.kill("SIGTERM");
		let out = "";
		let err = "";
		child.stdout.setEncoding("utf8").on("data", (text) => (out += text));
		child.stderr.setEncoding("utf8").on("data", (text) => (err += text));
		child.on("error", (e) => reject(new Error(`askpane could not be run (${e.message}); run askpane install pi --write again`)));
		child.on("close", (code, killed) => {
			signal?.removeEventListener("abort", abort);
			try {
				resolve(JSON.parse(out));
			} catch {
				const how = killed ? `was ended by ${killed}` : `ended with ${code}`;
				reject(new Error(`askpane ${how} and gave no result. ${line(err)}`));
			}
		});
		child.stdin.on("error", () => {}); // it ended before it read; close says how
		child.stdin.end(JSON.stringify(params));
		signal?.addEventListener("abort", abort, { once: true });
		if (signal?.aborted) abort();
	});
}

/** A sign of life every so often, where the settings want one. */
function heartbeat(pi: ExtensionAPI, tool: Tool, cwd: string, beat: () => void): () => void {
	let timer: NodeJS.Timeout | undefined;
	let over = false;
	const begin = async () => {
		if ((await output(["settings", "get", "heartbeatWhileActive"], cwd)).trim() !== "true") return;
		const minutes = Number(await output(["settings", "get", "heartbeatIntervalMinutes"], cwd));
		if (over || !(minutes > 0)) return;
		const start = Date.now();
		timer = setInterval(() => {
			beat();
			const content = `${tool.name} has waited for the person for ${Math.round((Date.now() - start) / 60_000)} min`;
			pi.sendMessage({ customType: "askpane-heartbeat", content, display: false }, { deliverAs: "followUp" });
		}, minutes * 60_000);
	};
	begin().catch(() => {}); // without settings there is none
	return () => {
		over = true;
		clearInterval(timer);
	};
}

/** Runs the settings menu on pi's terminal, which pi leaves to it meanwhile. */
async function settings(ctx: ExtensionContext) {
	if (ctx.mode !== undefined ? ctx.mode !== "tui" : !ctx.hasUI) {
		if (ctx.hasUI) ctx.ui.notify("The menu needs a terminal; use askpane settings list and askpane settings set.", "warning");
		return;
	}
	const code = await ctx.ui.custom<number | null>((tui, _theme, _keys, done) => {
		tui.stop();
		process.stdout.write("\x1b[2J\x1b[H");
		const child = spawnSync(ASKPANE, ["settings"], { cwd: ctx.cwd, stdio: "inherit" });
		tui.start();
		tui.requestRender(true);
		done(child.status ?? constants.signals.SIGHUP);
		return { render: () => [], invalidate: () => {} };
	});
	if (code !== 0) ctx.ui.notify(`askpane settings ended with ${code}`, "warning");
}

/** Text of an agent or a person as one line that moves no cursor. */
function line(text: unknown): string {
	return String(text ?? "").replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, " ").trim();
}

function callLine(tool: Tool, args: any, theme: Theme): string {
	const questions: any[] = Array.isArray(args?.questions) ? args.questions : args?.prompt ? [args] : [];
	const labels = questions.map((q) => line(q?.label ?? q?.header ?? q?.prompt ?? q?.question)).filter(Boolean);
	const count = questions.length === 1 ? "1 question" : `${questions.length} questions`;
	const title = theme.fg("toolTitle", theme.bold(tool.name));
	return `${title} ${theme.fg("muted", count)}${labels.length ? theme.fg("dim", ` (${labels.join(", ")})`) : ""}`;
}

/** One line an answer. */
function resultLines(details: any, said: string, theme: Theme): string {
	const rows = answers(details);
	if (rows.length === 0) {
		const cancelled = details?.cancelled || details?.lifecycle === "cancelled" || details?.reason === "cancelled" || /\bcancelled\b/.test(said);
		return theme.fg("warning", cancelled && !/^Error:/.test(said) ? "Cancelled" : line(said));
	}
	if (details?.outcome === "needs_discussion") rows.push({ label: "", value: "to be discussed first" });
	return rows
		.map(({ label, mark, value }) => {
			const start = theme.fg("success", "✓ ") + (label ? theme.fg("muted", `${line(label)}: `) : "");
			return start + (mark ? theme.fg("muted", `${mark} `) : "") + theme.fg("accent", line(value));
		})
		.join("\n");
}

type Row = { label: string; value: string; mark?: string };

/** The answers in the details of any of the dialects. */
function answers(d: any): Row[] {
	const questions: any[] = d?.questions ?? [];
	if (d?.answered === true) {
		// buttons: a typed answer has the index -1
		const wrote = [d.index].flat().includes(-1);
		return [{ label: "", value: [d.selected].flat().join(", "), mark: wrote ? "(wrote)" : undefined }];
	}
	if (Array.isArray(d?.responses)) {
		return d.responses.filter((r: any) => r.answer?.answered).map((r: any) => {
			const chosen = r.answer.options?.filter((o: any) => o.selected).map((o: any) => o.label);
			const label = questions.find((q) => q.id === r.questionId)?.header ?? r.questionId;
			return chosen ? { label, value: chosen.join(", ") } : { label, value: r.answer.value, mark: "(wrote)" };
		});
	}
	if (Array.isArray(d?.answers)) {
		return d.answers.map((a: any) => {
			const label = questions.find((q) => q.id === a.id)?.label ?? a.id;
			const value = a.label ?? [a.value].flat().join(", ");
			return { label, value: (a.index ? `${a.index}. ` : "") + value, mark: a.wasCustom ? "(wrote)" : undefined };
		});
	}
	return Object.entries(d?.answers ?? {}).map(([key, a]: [string, any]) => {
		const parts = [a].flat();
		const other = parts.some((p) => p?.mode === "other");
		const value = parts.map((p) => p?.text ?? p?.value ?? p).join(", ");
		return { label: questions[Number(key)]?.header ?? key, value, mark: other ? "(Other)" : undefined };
	});
}
