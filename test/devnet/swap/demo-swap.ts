import { requireData } from '../../../api/client/client.ts'
import { payWithSwap } from '../../../api/client/pay-with-swap.ts'
import { createApiCaller } from '../call-api.ts'
import { payAndTell, step } from '../demo-payments.ts'
import { requireMined } from '../require-mined.ts'
import type { DevnetDescription } from '../write-description.ts'
import { asEip1193, createWallet } from './as-eip1193.ts'

/** Creates a charge, and pays it in the native coin through the local swap provider. */
export async function payBySwap(devnet: DevnetDescription): Promise<void> {
  console.log('\nA charge of 42 USD, paid in ETH on base by a test swap')
  const { payer } = devnet.accounts
  const base = devnet.networks.base?.live
  if (base === undefined) throw new Error('the devnet has no live base')
  await payAndTell(devnet, {
    amount: 42,
    acceptedPayments: [{ token: 'USDC', network: 'base' }],
    send: async (charge) => {
      const body = { inputToken: 'ETH', inputNetwork: 'base', takerAddress: payer.address } as const
      const path = { id: charge.id }
      const quote = await requireData(
        createApiCaller(devnet).POST('/v1/charges/{id}/quote', { params: { path }, body }),
      )
      step('quoted', `${quote.outputAmountExact} USDC for at most ${quote.inputAmountExact} ETH`)
      const wallet = createWallet(base, payer)
      const options = { chainId: base.chainId }
      const hash = await payWithSwap(asEip1193(wallet), { charge, quote, taker: payer.address }, options)
      await requireMined(wallet, hash)
      step('swapped', 'in one transaction of the payer, which also returned the unused part of the maximum')
    },
  })
}
