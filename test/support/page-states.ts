import { changeBrand } from '../../shared/db/organizations/daemon/brands.ts'
import type { Devnet } from '../devnet/devnet.ts'
import { paymentsOn } from './page-payments.ts'
import { type ChargeJson, createCharge, expireAt, pay, query, USDC_ON_BASE, USDC_ON_BNB } from './scenario.ts'

/** A page to check, and its heading in English. */
export type PageInState = {
  readonly url: string
  readonly heading: string
  /** Whether the browser must go offline after it has loaded the page. */
  readonly isOffline?: boolean
}

/** A state of a charge's page, produced by real transfers on a devnet. */
export type PageState = {
  readonly name: string
  /** Brings a charge into the state, and keeps it there until `look` resolves. */
  readonly reach: (devnet: Devnet, look: (page: PageInState) => Promise<void>) => Promise<void>
}

const BOTH = [USDC_ON_BASE, USDC_ON_BNB]
const TERMS = { acceptedPayments: BOTH, redirectUrl: 'https://tea.example/thanks' }

/** Sets the name, contact and accent color of the merchant who owns all charges. */
export async function setMerchant(devnet: Devnet): Promise<void> {
  await query(devnet, async (sql) => {
    const [{ id } = { id: '' }] = await sql<{ id: string }[]>`
      select organization_id as id from charges order by created_at limit 1`
    await changeBrand(sql, id, { name: 'Green Tea', support: 'mailto:help@tea.example', accent: '#1f7a4d' })
  })
}

const doNothing = () => Promise.resolve()

/** States in which payers can see the page. */
export const PAGE_STATES: readonly PageState[] = [
  state('pay', { heading: '10.00 USD' }, doNothing),
  state('pay by exchange', { heading: '10.00 USD', choice: 'way=exchange' }, doNothing),
  state('pay by hand', { heading: '10.00 USD', choice: 'way=scan' }, doNothing),
  whileMining('seen', { heading: 'We can see your payment', amount: '10', blocks: 1 }),
  whileMining('partly seen', { heading: '6.00 USD left to pay', amount: '4', blocks: 1 }),
  whileMining('confirming', { heading: 'Almost done', amount: '10', blocks: 2 }),
  state('paid', { heading: 'Paid. Thank you!' }, async (devnet, charge) => {
    await pay(devnet, { charge })
    await paymentsOn(() => devnet).untilItIs(charge, 'confirmed')
  }),
  state('overpaid', { heading: 'Paid. Thank you!' }, async (devnet, charge) => {
    await pay(devnet, { charge, amount: '12' })
    await paymentsOn(() => devnet).untilReceived(charge, '12')
  }),
  state('late', { heading: 'Your payment arrived late' }, async (devnet, charge) => {
    await expire(devnet, charge, 'expired')
    await pay(devnet, { charge })
    await paymentsOn(() => devnet).untilReceived(charge, '10')
  }),
  {
    name: 'wrong pair',
    reach: async (devnet, look) => {
      const charge = await createCharge(devnet, { ...TERMS, acceptedPayments: [USDC_ON_BASE] })
      await pay(devnet, { charge, pair: USDC_ON_BNB })
      await look({ url: `${charge.checkoutUrl}?`, heading: 'Still unpaid: that was a different network' })
    },
  },
  state('underpaid', { heading: 'Only part of it was paid' }, async (devnet, charge) => {
    await pay(devnet, { charge, amount: '4' })
    await paymentsOn(() => devnet).untilReceived(charge, '4')
    await expire(devnet, charge, 'underpaid')
  }),
  state('expired', { heading: 'This payment has expired' }, (devnet, charge) =>
    expire(devnet, charge, 'expired'),
  ),
  {
    name: 'one pair closed',
    reach: async (devnet, look) => {
      const { checkoutUrl } = await createCharge(devnet, TERMS)
      const pause = (isPaused: boolean) =>
        query(
          devnet,
          (sql) => sql`
            update pairs set paused_at = ${isPaused ? new Date() : null}
            where token = 'USDC' and network = 'base' and environment = 'live'`,
        )
      await pause(true)
      try {
        await look({ url: `${checkoutUrl}?`, heading: '10.00 USD' })
      } finally {
        await pause(false)
      }
    },
  },
  {
    name: 'offline',
    reach: async (devnet, look) => {
      const { checkoutUrl } = await createCharge(devnet, TERMS)
      await look({ url: `${checkoutUrl}?`, heading: '10.00 USD', isOffline: true })
    },
  },
  {
    name: 'not found',
    reach: async (devnet, look) => {
      const { checkoutUrl } = await createCharge(devnet, TERMS)
      await look({ url: `${checkoutUrl}x?`, heading: 'Payment not found' })
    },
  },
]

function state(
  name: string,
  { heading, choice = '' }: { readonly heading: string; readonly choice?: string },
  act: (devnet: Devnet, charge: ChargeJson) => Promise<void>,
): PageState {
  return {
    name,
    reach: async (devnet, look) => {
      const charge = await createCharge(devnet, TERMS)
      await act(devnet, charge)
      await look({ url: `${charge.checkoutUrl}?${choice}`, heading })
    },
  }
}

/** Builds a state that lasts only until base's next block: a payment of `amount` was sent `blocks` blocks ago. */
function whileMining(
  name: string,
  { heading, amount, blocks }: { readonly heading: string; readonly amount: string; readonly blocks: number },
): PageState {
  return {
    name,
    reach: async (devnet, look) => {
      const charge = await createCharge(devnet, TERMS)
      const { whileNothingIsMined, untilPending } = paymentsOn(() => devnet)
      await whileNothingIsMined(async (mine) => {
        const paying = pay(devnet, { charge, amount })
        await untilPending()
        for (let mined = 0; mined < blocks; mined += 1) await mine()
        await paying
        await look({ url: `${charge.checkoutUrl}?`, heading })
      })
    },
  }
}

/** Moves the charge's deadline into the past, because the API requires at least a minute, and waits for the status. */
async function expire(devnet: Devnet, charge: ChargeJson, status: 'expired' | 'underpaid'): Promise<void> {
  await expireAt(devnet, { ids: [charge.id], seconds: BigInt(Math.floor(Date.now() / 1000) - 60) })
  await paymentsOn(() => devnet).untilItIs(charge, status)
}
