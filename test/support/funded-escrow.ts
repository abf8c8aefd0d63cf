import { encodeAbiParameters, numberToHex, pad, toFunctionSelector } from 'viem'
import { respondToRequest } from '../../shared/db/requests/charge-requests.ts'
import { SAFE_CONTRACTS } from '../../shared/domain/escrow-address.ts'
import { newId } from '../../shared/domain/ids.ts'
import { ACCOUNTS } from '../devnet/accounts.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { startTestApi } from './api.ts'
import { call } from './call-route.ts'
import { nodesAt } from './nodes-at.ts'
import { startRpcProxy } from './rpc-proxy.ts'

export const WORD = { size: 32 }
export const BALANCE = 10_000_000n

/** The node's head block. */
export const BLOCK = { number: '0x64', hash: `0x${'b1'.repeat(32)}`, timestamp: '0x6566', transactions: [] }

const FUNDED = {
  balance: BALANCE,
  nonce: 0n,
  /** Signatures that the Safe requires. */
  threshold: 1n,
  /** Address of the Safe's guard contract; 0 if none. */
  guard: 0n,
}

export type FundedEscrows = Awaited<ReturnType<typeof startFundedEscrows>>

/** Starts an API with a fake node that reports every Safe as deployed, owned by its releaser and holding `BALANCE`. */
export async function startFundedEscrows(settings: Record<string, string> = {}) {
  const node = await startRpcProxy('http://127.0.0.1:9') // The address is unused, because rules respond to every call.
  /** State reported for every Safe. Tests change it. */
  const safe = { ...FUNDED }
  /** Balance reads that the node received. */
  const reads = { count: 0 }
  node.rule((method, params) => {
    if (isBalanceRead(params)) reads.count += 1
    return { result: answerOf(method, params) }
  })
  const api = await startTestApi(settings, (config) => ({
    ...config,
    deployments: config.deployments.map((deployment) => ({ ...deployment, ...nodesAt([node.url]) })),
  }))
  const { key } = await api.issueKey()

  function answerOf(method: string, [subject, slot]: readonly unknown[]): unknown {
    if (method === 'eth_chainId') return '0x2105'
    if (method === 'eth_blockNumber') return BLOCK.number
    if (method === 'eth_getBlockByNumber') return BLOCK
    if (method === 'eth_getCode') return isOfReleaser(subject) ? '0x' : '0x6001'
    if (method === 'eth_getStorageAt')
      return slot === '0x0' ? pad(SAFE_CONTRACTS.singleton) : numberToHex(safe.guard, WORD)
    const { data = '' } = subject as { data?: string }
    const values: Readonly<Record<string, bigint>> = {
      [BALANCE_OF]: safe.balance,
      [toFunctionSelector('nonce()')]: safe.nonce,
      [toFunctionSelector('getThreshold()')]: safe.threshold,
      [toFunctionSelector('isOwner(address)')]: 1n,
    }
    return encodeAbiParameters([{ type: 'uint256' }], [values[data.slice(0, 10)] ?? 0n])
  }

  /** Creates an escrow charge of 10 dollars, and credits it with `dollars` from the devnet's payer. */
  async function create(dollars = 10): Promise<string> {
    const escrow = { releaserAddress: ACCOUNTS.releaser.address.toLowerCase() }
    const acceptedPayments = ['USDC', 'USDT'].map((token) => ({ token, network: 'base' }))
    const body = { amount: 10, acceptedPayments, expiresIn: 600, escrow }
    const { body: charge, text } = await call(api, 'POST /v1/charges', { key, body })
    if (charge.status !== 'pending') throw new Error(text)
    if (dollars > 0) await credit(charge.id, { sender: ACCOUNTS.payer.address.toLowerCase(), dollars })
    return charge.id
  }

  async function credit(
    chargeId: string,
    of: { readonly token?: string; readonly sender: string; readonly dollars: number },
  ): Promise<void> {
    const units = String(Math.round(of.dollars * 1e6))
    await api.owner`
      insert into transfers (charge_id, network, token, source, chain_id, token_address, tx_hash, ordinal, sender,
        value_atomic, amount_atto, accepted, inclusion, block_number, block_timestamp, credited_at, on_time)
      select ${chargeId}, network, token, 'contract_watcher', chain_id, token_address, ${newId('evt', Date.now())}, 0,
        ${of.sender}, ${units}, ${units}::numeric * 1000000000000, true, 'included', 1, 1800000000, clock_timestamp(), true
      from pairs where chain_id = 8453 and token = ${of.token ?? 'USDC'}`
  }

  /** Inserts an order as relayed by the daemon, by default without its request. */
  async function insertOrder(
    chargeId: string,
    { action, status, requestId = newId('req', Date.now()) }: InsertedOrder,
  ): Promise<void> {
    await api.owner`
      with relayer as (
        insert into relayers as r (chain_id, address, next_nonce) values (8453, '0x1', 1)
        on conflict (chain_id, address) do update set next_nonce = r.next_nonce + 1
        returning chain_id, address, next_nonce)
      insert into escrow_orders (request_id, charge_id, action, chain_id, token_address, destination, amount_atomic,
        relayer, nonce, status, created_at)
      select ${requestId}, ${chargeId}, ${action}, chain_id, '0x1', '0x1', 1, address, next_nonce, ${status}, now()
      from relayer`
  }

  /** Waits until the charge has a request without a response, and returns the request's id. */
  const openOrder = (chargeId: string) =>
    waitFor(
      async () => {
        const [row] = await api.owner<{ id: string }[]>`
          select id from requests where charge_id = ${chargeId} and responded_at is null`
        return row?.id
      },
      { what: 'an order to be recorded', timeoutMs: 60_000 },
    )

  return {
    ...{ api, node, key, safe, reads, answerOf, create, credit, insertOrder, openOrder },
    answerOrder: async (chargeId: string, answer: object) =>
      respondToRequest(api.owner, await openOrder(chargeId), answer),
    reset: () => Object.assign(safe, FUNDED),
    stop: async () => {
      await api.stop()
      await node.stop()
    },
  }
}

type InsertedOrder = { readonly action: string; readonly status: string; readonly requestId?: string }

const BALANCE_OF = toFunctionSelector('balanceOf(address)')

function isBalanceRead([subject]: readonly unknown[]): boolean {
  return String((Object(subject) as { data?: string }).data).startsWith(BALANCE_OF)
}

function isOfReleaser(subject: unknown): boolean {
  return String(subject).toLowerCase() === ACCOUNTS.releaser.address.toLowerCase()
}
