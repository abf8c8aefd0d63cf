import type { Address } from 'viem'
import { requireData } from '../../../api/client/client.ts'
import type { Schema } from '../../../api/client/schema.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import type { EscrowChargeJson } from '../../support/escrow-scenario.ts'
import type { NetworkFixture } from './network-fixture.ts'

export type NetworkCharge = Schema<'Charge'> & { readonly address: Address } & Pick<
    EscrowChargeJson,
    'escrow'
  >

/** Creates a charge of ten dollars for the first way to pay, unless the terms set other values. */
export async function openCharge(
  { api, ways: [way] }: NetworkFixture,
  terms: Partial<Schema<'CreateCharge'>> = {},
): Promise<NetworkCharge> {
  const body = { amount: 10, acceptedPayments: [way.pair], expiresIn: 3600, ...terms }
  return (await requireData(api.POST('/v1/charges', { body }))) as NetworkCharge
}

export async function readCharge({ api }: NetworkFixture, id: string): Promise<NetworkCharge> {
  return (await requireData(api.GET('/v1/charges/{id}', { params: { path: { id } } }))) as NetworkCharge
}

/** Waits until a charge meets the condition, for which the timeout allows `depths` confirmation depths. */
export function until(
  stage: NetworkFixture,
  id: string,
  condition: {
    readonly what: string
    readonly depths: number
    readonly holds: (charge: NetworkCharge) => boolean
  },
): Promise<NetworkCharge> {
  const { what, depths, holds } = condition
  return waitFor(
    async () => {
      const charge = await readCharge(stage, id)
      return holds(charge) && charge
    },
    {
      what: `charge ${id} on ${stage.row.name} to be ${what}`,
      timeoutMs: stage.boundMs(depths),
      intervalMs: 200,
    },
  )
}

/** Holds one confirmation depth after the payment. */
export const CONFIRMED = {
  what: 'confirmed',
  depths: 1,
  holds: ({ status }: NetworkCharge) => status === 'confirmed',
}

/** Holds when the payout, too, has reached confirmation depth. */
export const SETTLED = {
  what: 'settled',
  depths: 3,
  holds: ({ settlementStatus }: NetworkCharge) => settlementStatus === 'completed',
}

/** Holds when a payment was detected on the chain, at any depth. */
export const SEEN = { what: 'detected', depths: 1, holds: ({ txHash }: NetworkCharge) => txHash !== null }
