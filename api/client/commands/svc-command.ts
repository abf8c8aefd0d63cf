import type { ApiClient } from '../client.ts'

/** One command of `npm run svc`: what `--help` shows, and what it does, answering the lines to print last. */
export type SvcCommand = {
  readonly usage: string
  readonly run: (api: ApiClient, args: string[]) => Promise<readonly string[]>
}
