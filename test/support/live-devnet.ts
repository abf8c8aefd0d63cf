import { join } from 'node:path'
import { deriveAccount } from '../devnet/accounts.ts'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { LIVE_CHAINS } from '../devnet/networks.ts'
import { atEnd } from './at-end.ts'
import { temporaryDirectory } from './temporary-directory.ts'

/** Neither it nor the payer is the relayer that pays out. */
const AUTHORIZATIONS = deriveAccount(9)

/** A devnet, and the file that describes it to scripts. */
export type LiveDevnet = { readonly devnet: Devnet; readonly descriptionFile: string }

/**
 * Answers an installation with live networks alone, with the processes that ship, which all the files of a run share that ask
 * for it: to start one computes for 20 s, to let it run for 0.15 s a second (2026-11-23).
 *
 * Who uses it makes charges, keys and webhooks of his own, and leaves both processes running. It ends with the run.
 */
export function liveDevnet(): Promise<LiveDevnet> {
  started ??= start()
  return started
}

let started: Promise<LiveDevnet> | undefined

async function start(): Promise<LiveDevnet> {
  const directory = await temporaryDirectory('live')
  const devnet = await startDevnet({
    ...{ directory, program: 'dist', chains: LIVE_CHAINS, graceSeconds: 1 },
    settings: {
      api: { X402: 'on' },
      indexer: { AUTHORIZATION_NETWORKS: 'base', AUTHORIZATION_RELAYER_KEY: AUTHORIZATIONS.privateKey },
    },
  })
  atEnd(devnet.stop)
  return { devnet, descriptionFile: join(directory, 'devnet.json') }
}
