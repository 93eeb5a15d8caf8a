package skills

import (
	"context"
	"errors"

	"github.com/proemhq/proem/prompt"
)

// Survey reads every file that the skills name, also those of shadowed skills,
// for the loader to know them. What cannot be read is passed over.
func (s *Set) Survey(ctx context.Context, who prompt.Who) error {
	c, err := s.Catalog(ctx, who)
	if err != nil {
		return err
	}
	for _, e := range c.Entries {
		l, err := s.Load(ctx, who, e.Ref())
		if err != nil {
			if bad := (*Error)(nil); errors.As(err, &bad) {
				continue
			}
			return err
		}
		for _, name := range l.Files {
			if err := ctx.Err(); err != nil {
				return err
			}
			_, _ = s.Open(ctx, who, e.Ref(), name)
		}
	}
	return nil
}
