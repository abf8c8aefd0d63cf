import { type Html, html } from '../../shared/runtime/html.ts'
import { renderIcon } from './icons.ts'
import { outboundLink } from './outbound-link.ts'
import type { Payable, PaymentAt } from './payment-at.ts'
import { choiceLink } from './payment-choice.ts'
import { isPaymentLink, renderCode } from './render-scan.ts'
import { renderOnly } from './render-transfer-details.ts'
import type { WalletApp } from './wallet-apps-by-family.ts'
import { listWalletApps, walletLink } from './wallet-link.ts'

/**
 * Renders the section for paying through a wallet. The script fills `#wallet` with the wallets of this browser. On a
 * phone without such wallets, the page offers links that open the page in a wallet's browser, or a link to the payment
 * URI if wallet links are off. Other devices always show a QR code that opens the page on a phone.
 */
export function renderWallets(checkout: Payable, at: PaymentAt): Html {
  const { words, choice } = at
  const other = choiceLink({ ...choice, way: 'scan' })
  return html`<div id="wallet"></div>
<div class="phone">${renderCode(at.pageUrl, words.plain('wallet.qrPage'), 'low')}<p>${words.say('wallet.onPhone')}</p></div>
<div class="apps">${at.hasWalletLinks ? renderApps(checkout, at) : renderUri(at)}</div>
<p class="hint">${renderOnly(checkout, at)}</p>
<p class="more"><a href="${other}">${words.say('wallet.other')}</a></p>`
}

/**
 * Renders the wallets and their links. Each link follows its wallet's radio button, so that the style sheet can show
 * the chosen wallet's link without a script.
 *
 * The instructions for a wallet that does not open are always on the page, collapsed. The script expands them. A script
 * that hid them would move everything below them.
 */
function renderApps({ family }: Payable, { words, payment, pageUrl }: PaymentAt): Html {
  const choices = listWalletApps(family, payment).map((app, index) => {
    const text = words.say('wallet.open', { wallet: app.name })
    const link = walletLink(app, pageUrl, family)
    return html`<label><input type="radio" name="app" id="app-${app.id}"${index === 0 ? html` checked` : null}>${renderLetters(app)}<span>${app.name}</span></label><a class="btn" ${outboundLink(link)}>${text}</a>`
  })
  return html`<fieldset><legend>${words.say('wallet.which')}</legend>${choices}</fieldset>
<p class="hint">${words.say('wallet.opens')}</p>
<details class="fold" id="unopened"><summary>${words.say('wallet.notOpened')} ${renderIcon('down')}</summary>
<dl class="rows"><div><dt>${words.say('wallet.link')}</dt><dd><code data-copy>${pageUrl}</code></dd></div></dl></details>`
}

/**
 * Renders the payment URI as a link to a wallet app. Returns `null` on TRON, where wallets read no such URI (EIP-681).
 */
function renderUri({ words, payment }: PaymentAt): Html | null {
  return isPaymentLink(payment.uri)
    ? html`<a class="btn" ${outboundLink(payment.uri)}>${words.say('pay.open')}</a>`
    : null
}

/** Renders a wallet's initials. The style sheet uses the `color` attribute as their background. */
function renderLetters({ letters, hue }: WalletApp): Html {
  return html`<svg class="mono" color="hsl(${hue} 60% 92%)" aria-hidden="true"><text x="17" y="22" fill="hsl(${hue} 60% 27%)">${letters}</text></svg>`
}
