"""What was chosen, where elements are, and all stages side by side: explanations, drawings, pages."""
