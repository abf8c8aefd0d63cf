import { Html, html } from '../html.ts'
import { drawQrCode } from '../qrcode/draw-qr-code.ts'
import { type Choice, choiceLink } from './choice.ts'
import type { Checkout, Payment } from './project.ts'
import { dollars, moment, networkName, pairName, timeLeft } from './words.ts'

type Payable = Checkout & { readonly howToPay: NonNullable<Checkout['howToPay']> }

/** Writes how what remains can be paid: what to choose from, and of what was chosen the amount and where it goes. */
export function renderPayment(checkout: Payable, choice: Choice, now: Date): Html {
  const { payments } = checkout.howToPay
  return html`
${received(checkout)}
<p>Pay by ${moment(checkout.expiresAt)}, that is within ${timeLeft(checkout.expiresAt, now)}. After that, do not send anything.</p>
${payments.length > 1 ? picker(checkout, choice) : null}
${choice.payment === null ? null : instructions(checkout, { ...choice, payment: choice.payment })}
<p class="warning">Have you sent it already? Then <strong>do not send it again</strong>. This page shows your payment as soon as the network does.</p>
`
}

function received({ amount, amountReceived, currency }: Checkout): Html | null {
  if (amountReceived === null) return null
  return html`<p><strong>${dollars(amountReceived, currency)} of ${dollars(amount, currency)} has arrived.</strong> What is asked for here is only the rest.</p>`
}

function picker({ howToPay, environment }: Payable, choice: Choice): Html {
  const entries = howToPay.payments.map((payment) => {
    const isChosen = payment === choice.payment
    const link = choiceLink({ ...choice, payment })
    return html`<li><a href="${link}"${isChosen ? CURRENT : null}>${pairName(payment, environment)}</a></li>`
  })
  return html`<h2 id="choose">${choice.payment === null ? 'Choose' : 'Or choose'} a token and a network</h2>
<ul class="choices" aria-labelledby="choose">${entries}</ul>`
}

const CURRENT = new Html(' aria-current="true"')

function instructions(
  { howToPay: { address }, environment }: Payable,
  choice: Choice & { readonly payment: Payment },
): Html {
  const { payment, isLink } = choice
  const name = pairName(payment, environment)
  return html`<h2>Send ${name}</h2>
<p class="warning">Only ${payment.token}, and only on ${networkName(payment.network, environment)}: anything else does not pay this and may be lost.</p>
<dl>
<dt>Amount to send</dt><dd><code class="large">${payment.amount}</code> ${payment.token}</dd>
<dt>To this address</dt><dd><code>${address}</code></dd>
<dt>Network</dt><dd>${networkName(payment.network, environment)} (chain ${payment.chainId})</dd>
<dt>Token contract, should your wallet ask</dt><dd><code>${payment.tokenAddress}</code></dd>
</dl>
${isLink ? linkCode(payment, name) : addressCode(address)}
<p><a href="${choiceLink({ ...choice, isLink: !isLink })}">${isLink ? 'Show the code of the address alone' : 'Show a code with amount and token, for wallets that read it'}</a></p>`
}

function addressCode(address: string): Html {
  return html`<h3 class="quiet">Scan it, or copy what stands above</h3>
<div class="qr" role="img" aria-label="QR code of the address above">${new Html(drawQrCode(address))}</div>
<p>The code holds the address alone: enter the amount and choose token and network yourself.</p>`
}

function linkCode({ uri, amount }: Payment, name: string): Html {
  return html`<h3 class="quiet">Scan it, or open it on this device</h3>
<div class="qr" role="img" aria-label="QR code of the whole payment">${new Html(drawQrCode(uri))}</div>
<p>Not every wallet reads this code. Before you send, look whether yours shows ${amount} ${name}.</p>
<p><a class="button" href="${uri}">Open in a wallet</a></p>`
}
