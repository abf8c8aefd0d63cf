import type { Payment } from './list-payments.ts'
import { listPageTexts } from './list-script-texts.ts'
import type { PageCheckout, PageData, PagePayment } from './page-data.ts'
import { nameText } from './payee.ts'
import type { Checkout } from './project.ts'
import { capitalize, type Translator } from './translate.ts'

type DataAt = {
  readonly chosen: Payment | null
  readonly words: Translator
  readonly now: Date
  readonly frameOrigins: readonly string[]
}

/** Returns the data that a page embeds for its script. It must contain only values that the page may show. */
export function buildPageData(checkout: Checkout, { chosen, words, now, frameOrigins }: DataAt): PageData {
  const { environment, networks } = checkout
  return {
    checkout: selectFields(checkout, chosen),
    frameOrigins,
    chosen: chosen && { token: chosen.token, network: chosen.network },
    networks: Object.fromEntries(networks.map((name) => [name, words.network(name, environment)])),
    language: words.language,
    now: now.toISOString(),
    payee: capitalize(nameText(checkout, words)),
    texts: listPageTexts(checkout, words.language),
  }
}

/** Omits the fields that only other clients read, because every load of the page contains this data. */
function selectFields(checkout: Checkout, chosen: Payment | null): PageCheckout {
  const { id, revision, screen, family, amountReceived, remainingAfterSeen, seenTransfers } = checkout
  const { txHash, expiresAt, redirectUrl, excess, swapAlternatives, payBySignature } = checkout
  return {
    ...{ id, revision, screen, family, amountReceived, remainingAfterSeen },
    seenTransfers: seenTransfers.map((transfer) => ({ txHash: transfer.txHash })),
    ...{ txHash, expiresAt, redirectUrl, excess, swapAlternatives, payBySignature },
    howToPay: selectPayments(checkout, chosen),
  }
}

function selectPayments(
  { howToPay, swapAlternatives }: Checkout,
  chosen: Payment | null,
): PageCheckout['howToPay'] {
  if (howToPay === null) return null
  const { address, payments } = howToPay
  const swapped = swapAlternatives.map((pair) => payments.find(({ network }) => network === pair.network))
  const needed = payments.filter((payment) => payment === chosen || swapped.includes(payment))
  return {
    address,
    open: payments.map(({ token, network }) => ({ token, network })),
    payments: needed.map(selectPayment),
  }
}

function selectPayment(payment: Payment): PagePayment {
  const { token, network, chainId, tokenAddress, amount, amountAtomic, transfer, chain } = payment
  return { token, network, chainId, tokenAddress, amount, amountAtomic, transfer, chain }
}
