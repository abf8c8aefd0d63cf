import type { ApiClient } from '../client.ts'

/**
 * A command of `npm run svc`: its `--help` text, and the function that runs it and returns the final lines of output.
 */
export type SvcCommand = {
  readonly usage: string
  readonly run: (api: ApiClient, args: string[]) => Promise<readonly string[]>
}

/** A command of `npm run svc` that does not call the API, and so needs no API key. */
export type LocalCommand = {
  readonly usage: string
  readonly runLocally: (args: string[]) => Promise<readonly string[]>
}
