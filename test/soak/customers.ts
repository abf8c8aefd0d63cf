import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { ACCOUNTS, type DevnetAccount } from '../devnet/accounts.ts'
import type { Devnet } from '../devnet/devnet.ts'
import { sendTokens } from '../devnet/send-tokens.ts'
import { type Client, type ClientResponse, createClientAt } from '../support/attack/client-at.ts'

/** Merchants and payers who stay below every rate limit. */
export type Customers = {
  /** A description of each failed round. */
  readonly failures: readonly string[]
  readonly latenciesMs: readonly number[]
  readonly paid: () => number
  /** Path of the last created charge's page. */
  readonly lastPage: () => string | null
  /** Starts no further round, and resolves when the rounds in progress have completed. */
  readonly rest: () => Promise<void>
}

/**
 * The customers' wallets, one each, because two simultaneous payments from one wallet would use the same nonce.
 */
const WALLETS = [ACCOUNTS.payer, ACCOUNTS.payer2]

type Round = { readonly merchant: Client; readonly payer: Client; readonly wallet: DevnetAccount }

/** Pause between rounds. Each round has 4 requests with the shared key, which must stay below 100 per minute. */
const PAUSE_MS = 5_000

/** Timeout of a customer's request. */
const PATIENCE_MS = 30_000
/** Maximum wait for the end of a charge's stream, which ends once the charge is paid. */
const STREAM_MS = 120_000

/** Starts the customers. Each creates, watches, pays and checks one charge after another. */
export function startCustomers(devnet: Devnet): Customers {
  const { apiUrl, keys } = devnet.description
  const failures: string[] = []
  const latenciesMs: number[] = []
  const resting = new AbortController()
  let paid = 0
  let lastPage: string | null = null

  async function send(client: Client, requestLine: string, options: Parameters<Client['send']>[1] = {}) {
    const response = await client
      .send(requestLine, { timeoutMs: PATIENCE_MS, ...options })
      .catch((error: unknown) => {
        throw new Error(`${requestLine}: ${String(error)}`)
      })
    if (options.timeoutMs === undefined) latenciesMs.push(response.tookMs)
    if (response.status >= 400 || !response.isWhole) throw new Error(`${requestLine}: ${wordsOf(response)}`)
    return response
  }

  async function trade({ merchant, payer, wallet }: Round): Promise<void> {
    const key = keys.live
    const body = {
      amount: 3,
      acceptedPayments: [{ token: 'USDC', network: 'base' }],
      expiresIn: 600,
      idempotencyKey: randomUUID(),
    }
    const { id, address, checkoutUrl } = JSON.parse(
      (await send(merchant, 'POST /v1/charges', { key, body })).text,
    )
    const page = new URL(checkoutUrl).pathname
    lastPage = page
    await send(payer, `GET ${page}`)
    await send(payer, `GET ${page}/state.json`)
    const watched = send(payer, `GET ${page}/events`, { timeoutMs: STREAM_MS })
    watched.catch(() => undefined)
    await sendTokens(devnet.description, {
      ...{ token: 'USDC', network: 'base', amount: '3' },
      ...{ from: wallet, to: address },
    })
    await send(payer, `POST ${page}/check`)
    await send(merchant, `POST /v1/charges/${id}/check`, { key })
    await send(merchant, 'GET /v1/charges?limit=100', { key })
    const { text } = await watched
    if (!text.includes('"screen":"paid"'))
      throw new Error(`the stream of ${id} ended without showing the payment`)
    const charge = JSON.parse((await send(merchant, `GET /v1/charges/${id}`, { key })).text)
    if (charge.status !== 'confirmed') throw new Error(`${id} is ${charge.status}, not confirmed`)
    paid += 1
  }

  async function tradeAgainAndAgain(wallet: DevnetAccount, index: number): Promise<void> {
    const merchant = createClientAt(`127.0.2.${2 * index + 1}`, apiUrl)
    const payer = createClientAt(`127.0.2.${2 * index + 2}`, apiUrl)
    while (!resting.signal.aborted) {
      await trade({ merchant, payer, wallet }).catch((error: Error) => failures.push(error.message))
      await delay(PAUSE_MS)
    }
    merchant.close()
    payer.close()
  }

  const trading = WALLETS.map(tradeAgainAndAgain)
  return {
    ...{ failures, latenciesMs, paid: () => paid, lastPage: () => lastPage },
    rest: async () => {
      resting.abort()
      await Promise.all(trading)
    },
  }
}

function wordsOf({ status, isWhole, text }: ClientResponse): string {
  return isWhole ? `${status} ${text.slice(0, 300)}` : `${status}, truncated after ${text.length} characters`
}
