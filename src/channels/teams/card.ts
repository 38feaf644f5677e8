/** What of Adaptive Cards 1.4 a message is made of (adaptivecards.io/explorer). Text in runs is plain: it knows no Markdown. */

export interface TextRun {
  readonly type: 'TextRun';
  readonly text: string;
  readonly weight?: 'Bolder';
  readonly size?: 'Large';
  readonly isSubtle?: true;
  readonly fontType?: 'Monospace';
  readonly selectAction?: OpenUrl;
}

export interface OpenUrl {
  readonly type: 'Action.OpenUrl';
  readonly title: string;
  readonly url: string;
}

/** One line. */
export interface RichTextBlock {
  readonly type: 'RichTextBlock';
  readonly spacing?: 'None' | 'Small';
  readonly inlines: readonly TextRun[];
}

/** Takes Markdown and mentions: for nothing but our own. */
export interface TextBlock {
  readonly type: 'TextBlock';
  readonly text: string;
  readonly wrap: true;
}

export interface Container {
  readonly type: 'Container';
  readonly style: 'default' | 'emphasis' | 'good' | 'attention' | 'warning' | 'accent';
  readonly bleed?: true;
  readonly items: readonly RichTextBlock[];
}

export type CardElement = RichTextBlock | TextBlock | Container;

export interface Mention {
  readonly type: 'mention';
  readonly text: string;
  readonly mentioned: { readonly id: string; readonly name: string };
}

export interface AdaptiveCard {
  readonly $schema: 'http://adaptivecards.io/schemas/adaptive-card.json';
  readonly type: 'AdaptiveCard';
  readonly version: '1.4';
  /** What a client shows that cannot draw the card. */
  readonly fallbackText: string;
  readonly msteams: { readonly width: 'Full'; readonly entities?: readonly Mention[] };
  readonly body: readonly CardElement[];
  readonly actions?: readonly OpenUrl[];
}

export interface TeamsMessage {
  readonly type: 'message';
  readonly attachments: readonly [
    {
      readonly contentType: 'application/vnd.microsoft.card.adaptive';
      readonly contentUrl: null;
      readonly content: AdaptiveCard;
    },
  ];
}
