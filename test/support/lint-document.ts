import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { OpenApiDocument } from '../../api/docs/openapi/openapi-types.ts'

const repository = resolve(import.meta.dirname, '../..')

/** Returns the findings of @redocly/cli, each with rule, location and message. The tool sends no network requests. */
export async function lintDocument(document: OpenApiDocument): Promise<readonly string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'openapi-'))
  try {
    const file = join(directory, 'openapi.json')
    await writeFile(file, JSON.stringify(document))
    const report = JSON.parse(await runRedocly(file)) as Report
    return report.problems.map(
      ({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`,
    )
  } finally {
    await rm(directory, { recursive: true })
  }
}

type Report = {
  readonly problems: readonly {
    readonly ruleId: string
    readonly message: string
    readonly location: readonly { readonly pointer: string }[]
  }[]
}

function runRedocly(file: string): Promise<string> {
  const args = [
    'lint',
    file,
    '--config',
    join(repository, 'redocly.yaml'),
    '--format',
    'json',
    '--max-problems',
    '1000',
  ]
  return new Promise((done) => {
    execFile(
      join(repository, 'node_modules/.bin/redocly'),
      args,
      {
        maxBuffer: 64 * 2 ** 20,
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      },
      // The exit code only shows whether the report has findings, so it is ignored.
      (_, stdout) => done(stdout),
    )
  })
}
