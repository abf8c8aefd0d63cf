import {
  createTestClient,
  http,
  keccak256,
  type PrivateKeyAccount,
  parseAbi,
  type TestClient,
  toHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type ApiClient, createApiClient } from '../../../api/client/client.ts'
import { type ChainClient, createChainClient } from '../../../shared/chain/nodes/client.ts'
import { type Devnet, startDevnet } from '../../devnet/devnet.ts'
import type { DevnetChain } from '../../devnet/networks.ts'
import type { BlockPace } from '../../devnet/real-networks/mine-at-interval.ts'
import { registeredChain } from '../../devnet/real-networks/registered-chain.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'
import { chargeForPosting } from './charge-for-posting.ts'
import { createPayer, type Payer } from './payer.ts'
import type { Row } from './rows.ts'
import { TETHER_FEE } from './tether-fee.ts'
import { listWays, type Way } from './way.ts'

/** One network with the processes that ship, and what its cases share. */
export type NetworkFixture = {
  readonly row: Row
  readonly devnet: Devnet
  readonly chain: DevnetChain
  readonly client: ChainClient
  /** What may be asked of anvil alone. */
  readonly node: TestClient
  readonly pace: BlockPace
  readonly api: ApiClient
  /** Never empty. */
  readonly ways: readonly [Way, ...Way[]]
  /** Answers an account with coins and tokens that nobody else has been given. */
  readonly nextPayer: () => Payer
  /** How long what takes so many depths of the chain is waited for. */
  readonly boundMs: (depths: number) => number
  readonly stop: () => Promise<void>
}

/** More than the cases ask for. */
const PAYERS: readonly PrivateKeyAccount[] = Array.from({ length: 20 }, (_, index) =>
  privateKeyToAccount(keccak256(toHex(`payer ${index} of the networks`))),
)

/** What the processes need besides blocks, on a busy machine. */
const BUSY_MS = 90_000

/** Starts a network's chain and the processes for it, and nothing else. */
export async function createNetworkFixture(row: Row): Promise<NetworkFixture> {
  const registered = registeredChain(row, {
    payers: PAYERS.map(({ address }) => address),
    ...(row.isHastened && { blockMs: row.blockMs }),
  })
  const devnet = await startDevnet({
    directory: await temporaryDirectory(`e2e-${row.network}-${row.environment}`),
    chains: [registered.plan],
    ...{ program: 'dist', graceSeconds: 1 },
  })
  const [chain] = devnet.chains
  const [first, ...others] = chain === undefined ? [] : listWays(chain)
  if (chain === undefined || first === undefined) throw new Error(`${row.name} has no way to pay`)
  const { rpcUrl, chainId } = chain.anvil
  const client = createChainClient({ chainId, rpcUrls: [rpcUrl] })
  const node = createTestClient({ mode: 'anvil', transport: http(rpcUrl) })
  const accounts = [...PAYERS]
  const { apiUrl, keys } = devnet.description
  const stage: NetworkFixture = {
    ...{ row, devnet, chain, client, node, pace: registered.pace(), ways: [first, ...others] },
    api: createApiClient({ apiUrl, apiKey: keys[row.environment] }),
    nextPayer: () => {
      const account = accounts.pop()
      if (account === undefined) throw new Error('every payer has been given away')
      return createPayer(client, account)
    },
    boundMs: (depths) => BUSY_MS + 1.5 * depths * (row.confirmations + 1) * row.blockMs,
    stop: devnet.stop,
  }
  await chargeForPosting(row.network, node)
  await chargeTetherFee(stage)
  return stage
}

/** The issuer of the first Tether takes its fee from here on. */
async function chargeTetherFee(stage: NetworkFixture): Promise<void> {
  const way = stage.ways.find(({ feeBasisPoints }) => feeBasisPoints > 0n)
  if (way === undefined) return
  await stage.nextPayer().call({
    address: way.token,
    abi: parseAbi(['function setParams(uint256 newBasisPoints, uint256 newMaxFee)']),
    functionName: 'setParams',
    args: [TETHER_FEE.basisPoints, TETHER_FEE.maximumTokens],
  })
}
