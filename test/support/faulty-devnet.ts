import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { LIVE_CHAINS } from '../devnet/networks.ts'
import { type RpcProxy, startRpcProxy } from './rpc-proxy.ts'
import { SLEEPY } from './sleeping-networks.ts'

/** A devnet whose daemon connects to nodes only through proxies. */
export type FaultyDevnet = {
  readonly devnet: Devnet
  /** One proxy per chain, in the order of the devnet's chains. */
  readonly proxies: readonly RpcProxy[]
  readonly stop: () => Promise<void>
}

/** Starts the API and the daemon from `dist/` on the live chains. Networks without work fall asleep. */
export async function startFaultyDevnet(directory: string): Promise<FaultyDevnet> {
  const faulty = join(directory, 'networks-faulty.json')
  const devnet = await startDevnet({
    ...{ directory, program: 'dist' as const, graceSeconds: 3, confirmations: 3, startsServices: false },
    chains: LIVE_CHAINS,
    settings: { indexer: { ...SLEEPY.indexer, NETWORKS_CONFIG: faulty } },
  })
  const proxies = await Promise.all(devnet.chains.map(({ anvil }) => startRpcProxy(anvil.rpcUrl)))
  const stop = async () => {
    await devnet.stop()
    await Promise.all(proxies.map((proxy) => proxy.stop()))
  }
  try {
    const networks = await readFile(join(directory, 'networks.json'), 'utf8')
    const throughProxies = devnet.chains.reduce(
      (text, { anvil }, index) => text.replaceAll(anvil.rpcUrl, proxies[index]?.url ?? ''),
      networks,
    )
    await writeFile(faulty, throughProxies)
    await Promise.all([devnet.indexer.start(), devnet.api.start()])
  } catch (error) {
    await stop()
    throw error
  }
  return { devnet, proxies, stop }
}
