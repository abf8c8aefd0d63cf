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

/** A network with the built processes, shared by the cases of the network. */
export type NetworkFixture = {
  readonly row: Row
  readonly devnet: Devnet
  readonly chain: DevnetChain
  readonly client: ChainClient
  /** Client for requests that only anvil supports. */
  readonly node: TestClient
  readonly pace: BlockPace
  readonly api: ApiClient
  /** The ways to pay, never empty. */
  readonly ways: readonly [Way, ...Way[]]
  /** Returns an account with coins and tokens, a different one for each call. Throws if all accounts are in use. */
  readonly nextPayer: () => Payer
  /** Returns the timeout for an operation that takes this number of confirmation depths. */
  readonly boundMs: (depths: number) => number
  readonly stop: () => Promise<void>
}

const PAYERS: readonly PrivateKeyAccount[] = Array.from({ length: 20 }, (_, index) =>
  privateKeyToAccount(keccak256(toHex(`payer ${index} of the networks`))),
)

/** Time that the processes on a busy machine need in addition to the block times. */
const BUSY_MS = 90_000

/** Starts the chain of a network and the service with only this chain. */
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
      if (account === undefined) throw new Error('all payers are in use')
      return createPayer(client, account)
    },
    boundMs: (depths) => BUSY_MS + 1.5 * depths * (row.confirmations + 1) * row.blockMs,
    stop: devnet.stop,
  }
  await chargeForPosting(row.network, node)
  await chargeTetherFee(stage)
  return stage
}

/** Sets the transfer fee of USDT on ethereum. Has no effect on other networks. */
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
