import type { Address } from 'viem'

import { payAndTell, step } from '../demo-payments.ts'
import { type LivePair, sendNative } from '../send-tokens.ts'
import type { DevnetDescription } from '../write-description.ts'

const USDC_ON_ARC: LivePair = { token: 'USDC', network: 'arc' }

/** Creates a charge on Arc, and pays it with a native transfer. */
export async function payNatively(devnet: DevnetDescription): Promise<void> {
  console.log('\nA charge of 5 USD on arc, paid natively: USDC is the native coin there, with 18 decimals')
  await payAndTell(devnet, {
    amount: 5,
    acceptedPayments: [USDC_ON_ARC],
    send: async ({ address }) => {
      step('paying', '5 USDC on arc with a native transfer')
      const from = devnet.accounts.payer
      await sendNative(devnet, { ...USDC_ON_ARC, from, to: address as Address, amount: '5' })
    },
  })
}
