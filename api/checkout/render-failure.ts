import { html } from '../html.ts'
import { renderFrame } from './frame.ts'
import type { Phrase } from './languages.ts'
import type { Words } from './words.ts'

/** Writes the page of an answer that shows no charge; it says nothing of which address was asked for. */
export function renderFailure(
  status: number,
  { words, script }: { readonly words: Words; readonly script: string | null },
): string {
  const isNowhere = status === 404
  const title: Phrase = isNowhere ? 'title.notFound' : status === 429 ? 'title.tooMany' : 'title.failed'
  const what: Phrase = isNowhere ? 'failure.link' : 'failure.wait'
  return renderFrame({
    ...{ words, script },
    title: words.plain(title),
    main: html`<p>${words.say(what)}</p><p class="warning">${words.say('failure.sent')}</p>`,
    refreshSeconds: isNowhere ? null : 30,
  })
}
