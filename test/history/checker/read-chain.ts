import { type Address, createPublicClient, getAddress, http, type PublicClient, parseAbiItem } from 'viem'
import type { ChainLog, Entry, Fact, RecordedNetwork } from './entry.ts'
import { buildHistory } from './history.ts'

const TRANSFER = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')

/** Event of the 0xSplits v2.2 contracts. */
const DISTRIBUTED = parseAbiItem(
  'event SplitDistributed(address indexed token, address indexed distributor, uint256 amount)',
)

/** Maximum addresses per query. */
const CHUNK = 200

/** Reads the transfers and distributions of all charges in a record directly from the chains' nodes. */
export async function readChains(entries: readonly Entry[]): Promise<readonly Fact[]> {
  const { networks, sightings } = buildHistory(entries)
  const addresses = [...new Set(sightings.map(({ charge }) => getAddress(charge.address)))]
  const facts: Fact[] = []
  for (const network of networks.values()) facts.push(...(await readChain(network, addresses)))
  return facts
}

async function readChain(network: RecordedNetwork, addresses: readonly Address[]): Promise<readonly Fact[]> {
  const client = createPublicClient({ transport: http(network.rpcUrl) })
  const timeOf = createBlockTimes(client)
  const facts: Fact[] = []
  for (let at = 0; at < addresses.length; at += CHUNK) {
    const some = addresses.slice(at, at + CHUNK)
    for (const [token, { address }] of Object.entries(network.tokens)) {
      const pair = { network: network.network, token }
      facts.push(...(await readTransfers({ client, timeOf, pair }, { token: getAddress(address), some })))
      facts.push(...(await readDistributions({ client, timeOf, pair }, { token: getAddress(address), some })))
    }
  }
  return facts
}

type Reader = {
  readonly client: PublicClient
  readonly timeOf: (block: bigint) => Promise<number>
  readonly pair: Pick<ChainLog, 'network' | 'token'>
}
type Wanted = { readonly token: Address; readonly some: readonly Address[] }

const WHOLE_CHAIN = { fromBlock: 0n, toBlock: 'latest', strict: true } as const

async function readTransfers(reader: Reader, { token, some }: Wanted): Promise<readonly Fact[]> {
  const query = { address: token, event: TRANSFER, ...WHOLE_CHAIN }
  const into = await reader.client.getLogs({ ...query, args: { to: [...some] } })
  const out = await reader.client.getLogs({ ...query, args: { from: [...some] } })
  return Promise.all(
    [...into, ...out].map(async (log) => ({
      ...{ type: 'transfer' as const, from: log.args.from, to: log.args.to },
      ...(await toChainLog(reader, log, log.args.value)),
    })),
  )
}

async function readDistributions(reader: Reader, { token, some }: Wanted): Promise<readonly Fact[]> {
  const query = { address: [...some], event: DISTRIBUTED, args: { token }, ...WHOLE_CHAIN }
  const logs = await reader.client.getLogs(query)
  return Promise.all(
    logs.map(async (log) => ({
      ...{ type: 'distribution' as const, split: log.address, distributor: log.args.distributor },
      ...(await toChainLog(reader, log, log.args.amount)),
    })),
  )
}

type Position = { readonly blockNumber: bigint; readonly transactionHash: string; readonly logIndex: number }

async function toChainLog({ timeOf, pair }: Reader, log: Position, value: bigint): Promise<ChainLog> {
  const { blockNumber, transactionHash: txHash, logIndex } = log
  const timestamp = await timeOf(blockNumber)
  return { ...pair, txHash, logIndex, block: Number(blockNumber), timestamp, value: String(value) }
}

/** Creates a function that returns a block's time in Unix seconds, and requests each block once. */
function createBlockTimes(client: PublicClient): Reader['timeOf'] {
  const known = new Map<bigint, Promise<number>>()
  return (block) => {
    const time =
      known.get(block) ?? client.getBlock({ blockNumber: block }).then(({ timestamp }) => Number(timestamp))
    known.set(block, time)
    return time
  }
}
