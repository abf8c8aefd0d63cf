import { ACCOUNTS, toSigner } from '../devnet/accounts.ts'
import { waitFor } from '../devnet/wait-for.ts'
import type { TestApi } from './api.ts'
import { call } from './call-route.ts'
import { randomHex } from './factories.ts'

/** Who signs. */
export const PAYER = ACCOUNTS.payer2
/** What he signs for; base's, in the registry. */
export const PAIR = { token: 'USDC', network: 'base' }
export const USDC = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
/** Of what carries it out, by a daemon that a test plays. */
export const HASH = randomHex(32)

type ByApi = { readonly api: TestApi; readonly key: string }

/** Offers to carry out what is signed for the pair, as a daemon does again and again. */
export async function insertSignablePair({ owner }: TestApi): Promise<void> {
  await owner`
    insert into signable_pairs as s (chain_id, token_address, domain_name, domain_version, minimum_micro, daily_gas)
    values (8453, ${USDC}, 'USD Coin', '2', 1000000, 100000000)
    on conflict (chain_id, token_address) do update set minimum_micro = 1000000, daily_gas = 100000000, offered_at = now()`
}

/** The terms of a charge that is paid with these pairs. */
export const termsOf = (acceptedPayments: readonly object[] = [PAIR], amount = 10) => ({
  ...{ amount, acceptedPayments, expiresIn: 600 },
})

/** Makes a charge that the pair pays; its amount in dollars. */
export async function createSignable(
  { api, key }: ByApi,
  amount?: number,
): Promise<{ readonly id: string; readonly address: string }> {
  return (await call(api, 'POST /v1/charges', { key, body: termsOf([PAIR], amount) })).body
}

type TypedData = Parameters<ReturnType<typeof toSigner>['signTypedData']>[0]

/** Signs what an API has prepared, and answers the body that brings it. */
export async function signPrepared(typedData: TypedData): Promise<Record<string, string>> {
  const { value, validAfter, validBefore, nonce } = typedData.message as Record<Signed, string>
  const signature = await toSigner(PAYER).signTypedData(typedData)
  return { ...PAIR, from: PAYER.address, value, validAfter, validBefore, nonce, signature }
}

type Signed = 'value' | 'validAfter' | 'validBefore' | 'nonce'

/** Answers the id of what waits for the daemon, once there is one. */
export function openRequest({ owner }: TestApi, chargeId: string): Promise<string> {
  return waitFor(
    async () => {
      const [row] = await owner<{ id: string }[]>`
        select id from requests where charge_id = ${chargeId} and answered_at is null`
      return row?.id
    },
    { what: 'a request', timeoutMs: 30_000 },
  )
}
