import { ACCOUNTS, toSigner } from '../devnet/accounts.ts'
import { waitFor } from '../devnet/wait-for.ts'
import type { TestApi } from './api.ts'
import { call } from './call-route.ts'
import { randomHex } from './factories.ts'

export const PAYER = ACCOUNTS.payer2
/** A pair, and its token's address in the registry. */
export const PAIR = { token: 'USDC', network: 'base' }
export const USDC = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
/** Hash of the transaction that a test, acting as the daemon, reports for the authorization. */
export const HASH = randomHex(32)

type ByApi = { readonly api: TestApi; readonly key: string }

/** Publishes signature support for the pair, as the daemon does repeatedly. */
export async function insertSignablePair({ owner }: TestApi): Promise<void> {
  await owner`
    insert into signable_pairs as s (chain_id, token_address, domain_name, domain_version, minimum_micro, daily_gas_limit)
    values (8453, ${USDC}, 'USD Coin', '2', 1000000, 100000000)
    on conflict (chain_id, token_address) do update set minimum_micro = 1000000, daily_gas_limit = 100000000, refreshed_at = now()`
}

/** Returns the terms of a charge that accepts these pairs. */
export const termsOf = (acceptedPayments: readonly object[] = [PAIR], amount = 10) => ({
  ...{ amount, acceptedPayments, expiresIn: 600 },
})

/** Creates a charge that accepts the pair. The amount is in dollars. */
export async function createSignable(
  { api, key }: ByApi,
  amount?: number,
): Promise<{ readonly id: string; readonly address: string }> {
  return (await call(api, 'POST /v1/charges', { key, body: termsOf([PAIR], amount) })).body
}

type TypedData = Parameters<ReturnType<typeof toSigner>['signTypedData']>[0]

/** Signs data prepared by the API, and returns the request body that submits the signature. */
export async function signPrepared(typedData: TypedData): Promise<Record<string, string>> {
  const { value, validAfter, validBefore, nonce } = typedData.message as Record<Signed, string>
  const signature = await toSigner(PAYER).signTypedData(typedData)
  return { ...PAIR, from: PAYER.address, value, validAfter, validBefore, nonce, signature }
}

type Signed = 'value' | 'validAfter' | 'validBefore' | 'nonce'

/** Waits until the charge has a pending request for the daemon, and returns the request's id. */
export function openRequest({ owner }: TestApi, chargeId: string): Promise<string> {
  return waitFor(
    async () => {
      const [row] = await owner<{ id: string }[]>`
        select id from requests where charge_id = ${chargeId} and responded_at is null`
      return row?.id
    },
    { what: 'an open request for the daemon', timeoutMs: 30_000 },
  )
}
