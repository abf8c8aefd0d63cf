import { Html, html } from '../../shared/runtime/html.ts'
import { renderQrCode } from '../charges/qrcode/render-qr-code.ts'
import { outboundLink } from './outbound-link.ts'
import type { Payable, PaymentAt } from './payment-at.ts'
import { choiceLink } from './payment-choice.ts'
import { renderTransferDetails } from './render-transfer-details.ts'

/**
 * Renders a QR code and the details to copy. By default the code contains only the address, because every wallet can
 * read it.
 */
export function renderScan(checkout: Payable, at: PaymentAt): Html {
  const { words, choice } = at
  const hasLink = isPaymentLink(at.payment.uri)
  const isLink = choice.isLink && hasLink
  const other = choiceLink({ ...choice, isLink: !isLink })
  const phrase = isLink ? 'pay.showAddress' : 'pay.showLink'
  return html`${isLink ? renderLinkCode(checkout, at) : renderAddressCode(checkout, at)}
${renderTransferDetails(checkout, at)}
${hasLink ? html`<p class="more"><a href="${other}">${words.say(phrase)}</a></p>` : null}`
}

function renderAddressCode({ howToPay: { address } }: Payable, { words }: PaymentAt): Html {
  return html`<div class="scan">${renderCode(address, words.plain('pay.qrAddress'))}<p class="hint">${words.say('pay.addressOnly')}</p></div>`
}

function renderLinkCode({ environment }: Payable, { words, payment }: PaymentAt): Html {
  const amount = `${payment.amount} ${words.pair(payment, environment)}`
  return html`<div class="scan">${renderCode(payment.uri, words.plain('pay.qrLink'))}<p class="hint">${words.say('pay.scanLink')}. ${words.say('pay.notEvery', { amount })}</p></div>
<a class="btn sec" ${outboundLink(payment.uri)}>${words.say('pay.open')}</a>`
}

/** Returns whether wallets can read this payment URI (EIP-681). TRON wallets reject the common form of TRON's URIs. */
export function isPaymentLink(uri: string): boolean {
  return uri.startsWith('ethereum:')
}

/** Renders a QR code with a label for screen readers. */
export function renderCode(text: string, label: string, ecc?: 'low'): Html {
  return html`<div class="qr" role="img" aria-label="${label}">${new Html(renderQrCode(text, ecc))}</div>`
}
