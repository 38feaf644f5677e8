/** What of Google Chat's messages Botbell sends (developers.google.com/workspace/chat/api/reference/rest/v1/cards). */

export interface GoogleChatMessage {
  /** In Chat's own markup, where mentions act. */
  readonly text?: string;
  /** What a notification shows of the card. */
  readonly fallbackText?: string;
  readonly cardsV2?: readonly [{ readonly cardId: string; readonly card: GoogleChatCard }];
}

export interface GoogleChatCard {
  /** Plain text. */
  readonly header: { readonly title: string };
  readonly sections: readonly [{ readonly widgets: readonly Widget[] }];
}

/** Texts are a small HTML: `b`, `a`, `font` and `br`. */
export type Widget =
  | { readonly textParagraph: { readonly text: string } }
  | { readonly decoratedText: { readonly topLabel: string; readonly text: string; readonly wrapText: true } }
  | { readonly buttonList: { readonly buttons: readonly [Button] } };

interface Button {
  readonly text: string;
  readonly onClick: { readonly openLink: { readonly url: string } };
}
