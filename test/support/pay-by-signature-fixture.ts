import { randomBytes, randomUUID } from 'node:crypto'
import { erc20Abi } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { AuthorizationContext } from '../../indexer/pay-by-signature/authorization-context.ts'
import { createAuthorizationMetrics } from '../../indexer/pay-by-signature/authorization-metrics.ts'
import { createAuthorizationWorker } from '../../indexer/pay-by-signature/authorization-worker.ts'
import { trackAuthorizations } from '../../indexer/pay-by-signature/track-authorizations.ts'
import { createEvmRelayer, type EvmRelayer } from '../../indexer/relayer/evm-relayer.ts'
import type { RelayerTerms } from '../../indexer/relayer/relayer-context.ts'
import type { ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { StaleAfter } from '../../shared/db/chain-facts/stale.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { AuthorizationResult } from '../../shared/db/pay-by-signature/authorization-requests.ts'
import { replaceSignablePairs } from '../../shared/db/pay-by-signature/daemon/signable-pairs.ts'
import { findRequestResponse, insertChargeRequest } from '../../shared/db/requests/charge-requests.ts'
import type { Address, Hex } from '../../shared/domain/address.ts'
import { DATA_FEES } from '../../shared/domain/data-fees.ts'
import {
  type Authorization,
  authorizationCall,
  authorizationTypedData,
} from '../../shared/domain/eip3009/authorization.ts'
import { parseAuthorization } from '../../shared/domain/eip3009/parse-authorization.ts'
import { newId } from '../../shared/domain/ids.ts'
import { micro } from '../../shared/domain/money.ts'
import { createMetrics } from '../../shared/runtime/metrics.ts'
import { ACCOUNTS, type DevnetAccount, deriveAccount, toSigner } from '../devnet/accounts.ts'
import { chainAt } from './chain-at.ts'
import {
  addressOf,
  CONFIRMATIONS,
  connectChain,
  FIRST_IN_BLOCK,
  GAS_BOUNDS,
  type Stage,
} from './payout-fixture.ts'
import { connectForTest } from './postgres.ts'
import { recordingLog } from './recording-log.ts'
import { STALE_AFTER } from './rows.ts'

const CHAIN_ID = 31337
/** EIP-712 domain of the devnet's USDC. */
const DOMAIN = { name: 'USD Coin', version: '2' }
/** The service's account that executes authorizations. It is anvil's tenth account, which holds the native coin. */
export const AUTHORIZER = deriveAccount(9)
/** Payers with tokens but none of the native coin. */
export const PAYER = toSigner(deriveAccount(40))
export const OTHER_PAYER = toSigner(deriveAccount(41))

export type OpenCharge = Awaited<ReturnType<Stage['openCharge']>>

/** Deviations from the expected authorization. `signature` transforms the signature of the deviating data. */
export type Changes = Partial<Authorization> & {
  readonly payer?: PrivateKeyAccount
  readonly chainId?: number
  readonly domain?: { readonly name: string; readonly version: string }
  readonly signature?: (signature: Hex) => Hex
  readonly token?: Address
}

/** An authorization as a payer submits it. */
export type Written = Readonly<
  Record<'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce' | 'signature', string>
>

type WorkerOptions = {
  readonly rpcUrls?: readonly string[]
  /** Nodes that must agree: by default 2, or 1 if there is only one node. */
  readonly quorum?: number
  /** Timeout of the single attempt per node. By default, timeout and attempts are as in production. */
  readonly timeoutMs?: number
  readonly sql?: Sql
  readonly account?: DevnetAccount
  readonly retrySeconds?: number
  readonly lookSeconds?: number
  readonly staleAfter?: StaleAfter
  readonly relayerTerms?: Partial<RelayerTerms>
  /** Replaces the relayer's broadcast, to simulate a process that is killed while it broadcasts. */
  readonly broadcast?: EvmRelayer['broadcast']
}

export type PayBySignatureFixture = Awaited<ReturnType<typeof createPayBySignatureFixture>>

/** Extends a payout fixture for payment by signature: offers the token, funds the payers and connects as the API. */
export async function createPayBySignatureFixture(stage: Stage) {
  const api = connectForTest(stage.database.url.api)
  await offer(stage)
  await seeHeads(stage)
  const mint = (account: Address, amount = 1_000_000_000n) => stage.callToken('mint', [account, amount])
  for (const { address } of [PAYER, OTHER_PAYER]) await mint(addressOf(address))

  /** Signs an authorization of 10 dollars to a charge, valid until 300 s after the stage's time, with these changes. */
  async function sign(charge: OpenCharge, changes: Changes = {}): Promise<Written> {
    const {
      payer = PAYER,
      chainId = CHAIN_ID,
      domain = DOMAIN,
      signature,
      token = stage.token,
      ...terms
    } = changes
    const nowSeconds = BigInt(Math.floor(stage.time.now.getTime() / 1000))
    const authorization = {
      ...{ from: addressOf(payer.address), to: charge.address, value: 10_000_000n },
      ...{ validAfter: 0n, validBefore: nowSeconds + 300n, nonce: nonce() },
      ...terms,
    }
    const typed = authorizationTypedData({ chainId, token, domain, authorization })
    const signed = await payer.signTypedData(typed as never)
    const { from, to, value, validAfter, validBefore, nonce: spent } = authorization
    const numbers = { value: `${value}`, validAfter: `${validAfter}`, validBefore: `${validBefore}` }
    return { from, to, ...numbers, nonce: spent, signature: signature?.(signed) ?? signed }
  }

  /** Inserts a request for the daemon with any payload. Returns its id, or `null` if another request is pending. */
  async function request(charge: OpenCharge, written: object): Promise<string | null> {
    const id = newId('req', Date.now())
    const payload = { chainId: CHAIN_ID, token: stage.token, ...written }
    const isMade = await insertChargeRequest(api, {
      ...{ id, kind: 'authorization', organizationId: 'org_1', chargeId: charge.chargeId },
      ...{ apiRequestId: randomUUID(), payload },
    })
    return isMade ? id : null
  }

  async function ask(charge: OpenCharge, changes: Changes = {}): Promise<string> {
    const id = await request(charge, await sign(charge, changes))
    if (id === null) throw new Error('another request is pending')
    return id
  }

  /** Executes an authorization from the keeper's account. Anyone can, once a node has received the authorization. */
  async function sendAsStranger(written: Written, fees: object = {}): Promise<Hex> {
    const parsed = parseAuthorization(written)
    if (!parsed.ok) throw new Error(parsed.problem)
    const { to, data } = authorizationCall(stage.token, parsed.signed)
    const account = toSigner(ACCOUNTS.keeper)
    return stage.wallet.sendTransaction({ account, to, data, gas: 200_000n, ...fees })
  }

  /** Calls the token from the payer's account, and mines a block with this call before pending transactions. */
  async function callAsPayer(call: object): Promise<void> {
    await stage.node.setBalance({ address: PAYER.address, value: 10n ** 18n })
    await stage.wallet.writeContract({
      ...{ account: PAYER, address: stage.token, gas: 200_000n, ...FIRST_IN_BLOCK },
      ...call,
    } as never)
    await stage.mine()
  }

  /** Transfers away the tokens that the fixture minted for the payer. */
  function moveBalanceAway(): Promise<void> {
    const args = [ACCOUNTS.keeper.address, 1_000_000_000n]
    return callAsPayer({ abi: erc20Abi, functionName: 'transfer', args })
  }

  function cast(options: WorkerOptions = {}) {
    const { log, lines } = recordingLog()
    const { rpcUrls = [stage.rpcUrl], sql = stage.daemonSql, timeoutMs } = options
    const chain = patient(chainAt(rpcUrls, options.quorum === undefined ? {} : options), timeoutMs)
    const metrics = createAuthorizationMetrics(createMetrics({ service: 'test' }))(CHAIN_ID)
    const deps = { sql, chain, log, clock: () => stage.time.now }
    const relayer = createEvmRelayer({
      ...{ ...deps, nodes: chain, account: toSigner(options.account ?? AUTHORIZER), duty: 'authorizations' },
      metrics: metrics.account,
      terms: {
        ...{ confirmations: CONFIRMATIONS, gasBounds: GAS_BOUNDS, dataFee: DATA_FEES.base, maxUnmined: 8 },
        ...{ rebroadcastSeconds: 5, replaceAfterSeconds: 20, emptyAfterSeconds: 60 },
        ...options.relayerTerms,
      },
    })
    const context: AuthorizationContext = {
      ...{ ...deps, confirmations: CONFIRMATIONS, blockTimeMs: 1000, metrics },
      retrySeconds: options.retrySeconds ?? 0,
      staleAfter: options.staleAfter ?? STALE_AFTER,
      lookSeconds: options.lookSeconds ?? 0,
      relayer: options.broadcast === undefined ? relayer : { ...relayer, broadcast: options.broadcast },
    }
    const { turn } = createAuthorizationWorker(context)
    return {
      turn,
      relayer,
      lines,
      follow: () => trackAuthorizations({ ...context, account: relayer.address }),
    }
  }

  return {
    ...{ api, mint, sign, request, ask, cast, sendAsStranger, callAsPayer, moveBalanceAway },
    answerOf: (id: string): Promise<AuthorizationResult | null> => findRequestResponse(api, id),
    authorizations: () => stage.sql<{ status: string; txHash: Hex | null; requestId: string }[]>`
      select status, tx_hash, request_id from authorizations order by id`,
    close: () => api.end(),
  }
}

function patient(chain: ChainNodes, timeoutMs: number | undefined): ChainNodes {
  if (timeoutMs === undefined) return chain
  const nodes = chain.nodes.map((node) => ({ ...node, client: connectChain(node.url, timeoutMs) }))
  return { ...chain, nodes }
}

/** Records that the stage's token accepts payment by signature, as the daemon does. */
export async function offer(
  { daemonSql, token }: Pick<Stage, 'daemonSql' | 'token'>,
  terms: { readonly minimum?: bigint; readonly dailyGasLimit?: number } = {},
): Promise<void> {
  const { minimum = 1_000_000n, dailyGasLimit = 100_000_000 } = terms
  const tokens = [{ tokenAddress: token, domain: DOMAIN, minimumMicro: micro(minimum), dailyGasLimit }]
  await replaceSignablePairs(daemonSql, { chainId: CHAIN_ID, tokens })
}

/** Records that every chain's head is current. */
async function seeHeads({ sql }: Pick<Stage, 'sql'>): Promise<void> {
  await sql`update deployments set max_head_number = 1, max_head_at = now()`
}

/** Returns a random authorization nonce. */
export function nonce(): Hex {
  return `0x${randomBytes(32).toString('hex')}`
}
