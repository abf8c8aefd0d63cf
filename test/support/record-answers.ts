import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type Koa from 'koa'
import { listErrorCodes } from '../../api/docs/openapi/error-codes.ts'
import type { Route } from '../../api/http/route.ts'

/**
 * The responses that a process of tests received per endpoint, with the first test for each; read by
 * `test/runner/report-answers.ts`.
 */
export type RecordedAnswers = {
  /** By endpoint, such as `GET /v1/charges/:id`: `success` and every documented error code. */
  readonly declared: Readonly<Record<string, readonly string[]>>
  /** By endpoint and code. */
  readonly tests: Readonly<Record<string, Readonly<Record<string, string>>>>
}

const declared: Record<string, readonly string[]> = {}
const tests: Record<string, Record<string, string>> = {}

/** The running test, set by `noteTest`. Responses outside a test, in a hook, belong to no test. */
let title: string | null = null

/** Sets the running test, or that no test is running. */
export function noteTest(runs: string | null): void {
  title = runs
}

/** Records every response of an app under test, for any caller. */
export function recordResponses(app: Koa, routes: readonly Route[]): void {
  for (const route of routes) declared[nameOf(route)] = ['success', ...listErrorCodes(route)]
  // Inside the outermost middleware, which serializes a response.
  app.middleware.splice(1, 0, async (ctx, next) => {
    await next()
    const { _matchedRoute: path } = ctx as unknown as { _matchedRoute?: string }
    const name = `${ctx.method} ${path}`
    if (title === null || declared[name] === undefined) return
    const of = (tests[name] ??= {})
    of[codeOf(ctx)] ??= title
  })
}

/** Writes the recorded responses to the directory that the run collects, if it is set. */
export function saveResponses(): void {
  const directory = process.env['ANSWERS_DIRECTORY'] // oxlint-disable-line no-process-env -- where is a setting of the run
  if (directory === undefined || Object.keys(tests).length === 0) return
  const answers: RecordedAnswers = { declared, tests }
  writeFileSync(join(directory, `${process.pid}.json`), JSON.stringify(answers))
}

function nameOf({ method, path }: Route): string {
  return `${method} ${path}`
}

function codeOf(ctx: Koa.Context): string {
  const { error } = (ctx.body ?? {}) as { error?: { code?: string } }
  return ctx.status < 300 ? 'success' : (error?.code ?? String(ctx.status))
}
