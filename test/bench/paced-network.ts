import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import type { Network } from '../../shared/domain/networks.ts'
import { ACCOUNTS } from '../devnet/accounts.ts'
import { compiled } from '../devnet/compiled.ts'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { registeredChain } from '../devnet/real-networks/registered-chain.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import type { BareLine } from './bare-watcher.ts'
import { behindDoor, countByMethod, type Door, openDoor } from './counting-proxy.ts'

/** A network with its own block time, watched by the daemon and by a bare loop, each through a counting proxy. */
export type PacedNetwork = {
  readonly devnet: Devnet
  /** URL of the chain itself. Requests to it are not counted. */
  readonly rpcUrl: string
  readonly token: `0x${string}`
  readonly decimals: number
  readonly confirmations: number
  readonly ours: Watcher
  readonly bare: Watcher
  /** Output lines of the bare loop, with the times at which the loop saw and confirmed each payment. */
  readonly bareLines: readonly BareLine[]
  readonly stop: () => Promise<void>
}

/** A program whose requests and processor time are counted. */
export type Watcher = { readonly pid: number; readonly requests: ReadonlyMap<string, number> }

/**
 * Starts a network of the registry on a local chain, with the registry's confirmation depth and the given block time.
 * The bare loop polls at the given interval; the daemon derives its own interval from the block time.
 */
export async function startPacedNetwork(
  network: Network,
  pace: { readonly blockMs: number; readonly pollingMs: number },
): Promise<PacedNetwork> {
  const { confirmations, live } = REGISTRY[network]
  const payers = [ACCOUNTS.payer.address]
  const wishes = pace.blockMs === live.blockTimeMs ? { payers } : { payers, blockMs: pace.blockMs }
  const { plan } = registeredChain({ network, environment: 'live' }, wishes)
  const counts = { ours: new Map<string, number>(), bare: new Map<string, number>() }
  const doors: Door[] = []
  let rpcUrl = ''
  const devnet = await startDevnet({
    directory: await temporaryDirectory(`bench-${network}`),
    chains: [behindDoor(plan, countByMethod(counts.ours), { doors, told: (url) => (rpcUrl = url) })],
    graceSeconds: 600,
  })
  const [token] = devnet.chains[0]?.deployed ?? []
  const indexerPid = devnet.indexer.pid()
  if (token === undefined || indexerPid === null) throw new Error(`${network} has not started`)
  const door = await openDoor(rpcUrl, countByMethod(counts.bare))
  doors.push(door)
  const bareLines: BareLine[] = []
  const bare = await startBare(
    [door.url, token.address, String(pace.pollingMs), String(confirmations)],
    bareLines,
  )
  await waitFor(() => bareLines.length > 0, { what: 'the bare loop to start', timeoutMs: 60_000 })
  return {
    ...{ devnet, rpcUrl, token: token.address, decimals: token.decimals, confirmations, bareLines },
    ours: { pid: indexerPid, requests: counts.ours },
    bare: { pid: bare.pid ?? 0, requests: counts.bare },
    stop: async () => {
      bare.kill()
      await once(bare, 'exit')
      await devnet.stop()
      for (const open of doors) await open.stop()
    },
  }
}

async function startBare(args: readonly string[], lines: BareLine[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [await compiled('test/bench/bare-watcher.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (child.stdout === null) throw new Error('the bare loop has no output')
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line) as BareLine))
  return child
}
